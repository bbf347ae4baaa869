# parity in Perl: shoots beside its hits, and searches one colour of the chessboard only, as no ship
# is so short that it has no cell of that colour.
#
# A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right
# is + 10, and as no digit is 8 or 9 a step off the grid never lands on it again.
use strict;
use warnings;

my @CELLS = grep { $_ % 10 < 8 } 0 .. 77;
my %ON_GRID = map { $_ => 1 } @CELLS;

# The cells that the request lists under a key. It is compact JSON of known shape, for which a
# pattern is enough: JSON::PP is not part of every system's Perl, and slower to load than this runs.
sub cells {
    my ($request, $key) = @_;
    my ($list) = $request =~ /"$key":\[(.*?)\]/;
    return map { $_ + 0 } ($list // '') =~ /\d+/g;
}

# A fleet, each legal one as likely: every ship drawn by itself, and all anew on an overlap.
sub place {
  DRAW: while (1) {
        my (@fleet, %taken);
        for my $size (2 .. 5) {
            my @ship;
            do {
                my ($start, $step) = ($CELLS[rand @CELLS], (1, 10)[rand 2]);
                @ship = map { $start + $_ * $step } 0 .. $size - 1;
            } until @ship == grep { $ON_GRID{$_} } @ship;
            next DRAW if grep { $taken{$_}++ } @ship;
            push @fleet, sprintf '"%d":{"point":"%02d","orientation":"%s"}',
                $size, $ship[0], $ship[1] - $ship[0] == 1 ? 'vertical' : 'horizontal';
        }
        return '{' . join(',', @fleet) . '}';
    }
}

# A fresh cell beside a hit, or else one of the colour with the most fresh ones beside it.
sub shoot {
    my ($hit, $missed) = @_;
    my %hit = map { $_ => 1 } @$hit;
    my %shot = map { $_ => 1 } @$hit, @$missed;
    my @fresh = grep { !$shot{$_} } @CELLS;
    my @around = grep { my $cell = $_; grep { $hit{$cell + $_} } -10, -1, 1, 10 } @fresh;
    my %fresh = map { $_ => 1 } @fresh;
    my @by_room;    # the cells of the colour, by how many fresh ones are beside them
    for my $cell (grep { (int($_ / 10) + $_ % 10) % 2 == 0 } @fresh) {
        push @{ $by_room[grep { $fresh{$cell + $_} } -10, -1, 1, 10] }, $cell;
    }
    my @choice = @around ? @around : @{ $by_room[-1] };
    return sprintf '{"move":"%02d"}', $choice[rand @choice];
}

my ($request) = @ARGV;
my @hit = cells($request, 'hit');
my @missed = cells($request, 'missed');
my ($command) = $request =~ /"cmd":"(\w+)"/;

# With a seed all luck comes from it and from how far the game is, so that it can be repeated.
if (defined $ENV{BOT_SEED}) {
    my $mixed = 0;
    $mixed = ($mixed * 31 + ord) % 2**32 for split //, "$ENV{BOT_SEED} $command " . (@hit + @missed);
    srand $mixed;
}
print $command eq 'init' ? place() : shoot(\@hit, \@missed), "\n";
