# A Battleships bot that places its ships at random and shoots beside its hits.
#
# The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
# and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.
use strict;
use warnings;

my @SIZES = (2 .. 5);
my @CELLS = grep { $_ % 10 < 8 } 0 .. 77;

# A fleet. Each ship is drawn by itself, and all again if two overlap.
sub place {
    while (1) {
        my (@fleet, %taken);
        for my $size (@SIZES) {
            my ($along, $across) = (int rand 9 - $size, int rand 8);
            my ($start, $step, $orientation) =
                rand() < 0.5
                ? (10 * $along + $across, 10, 'horizontal')
                : (10 * $across + $along, 1, 'vertical');
            $taken{$start + $_ * $step} = 1 for 0 .. $size - 1;
            push @fleet, sprintf '"%d":{"point":"%02d","orientation":"%s"}',
                $size, $start, $orientation;
        }
        return '{' . join(',', @fleet) . '}' if keys %taken == 2 + 3 + 4 + 5;
    }
}

# A fresh cell beside a hit, or else any fresh one.
sub shoot {
    my ($hit, $missed) = @_;
    my @fresh = grep { !$hit->{$_} && !$missed->{$_} } @CELLS;
    my @beside = grep { my $cell = $_; grep { $hit->{$cell + $_} } -10, -1, 1, 10 } @fresh;
    my @choice = @beside ? @beside : @fresh;
    return $choice[rand @choice];
}

my $request = $ARGV[0];    # JSON without any spaces: patterns are enough to read it

# The cells that the request lists under a key, as the keys of a hash.
sub cells {
    my ($list) = $request =~ /"$_[0]":\[(.*?)\]/;
    return { map { $_ + 0 => 1 } ($list // '') =~ /\d+/g };
}

# All luck comes from BOT_SEED and the request, so that a game can be played again.
my $seed = 0;
$seed = ($seed * 31 + ord) % 2**32 for split //, ($ENV{BOT_SEED} // '') . $request;
srand $seed;
if ($request =~ /"cmd":"init"/) {
    print place(), "\n";
}
else {
    printf qq({"move":"%02d"}\n), shoot(cells('hit'), cells('missed'));
}
