# A Broadsides player that places its ships at random and shoots beside its hits.
#
# It is started once for a game. Each line that it reads either tells what has happened (INFO) or
# asks for something (ACTION); what it is asked, it answers with one line.
#
# A cell is kept as [column, row], both counted from 0: [2, 4] is told as C5.

# Without this, Ruby keeps what is printed to itself, and every answer comes too late.
$stdout.sync = true

LETTERS = [*"A".."Z"]
SIDES = [[-1, 0], [1, 0], [0, -1], [0, 1]] # left, right, up, down

def name(cell)
  "#{LETTERS[cell[0]]}#{cell[1] + 1}"
end

def cell(name)
  [LETTERS.index(name[0]), name[1..].to_i - 1]
end

class Player
  def initialize(luck)
    @luck = luck
    @hits = [] # by its own shots
    @shot_at = []
    @own_volley_is_next = false
  end

  # All cells of the board, from "10x10".
  def begin(board)
    @columns, @rows = board.split("x").map(&:to_i)
    @cells = [*0...@columns].product([*0...@rows])
  end

  # A fleet: every ship drawn by itself, and all of them anew if two overlap.
  def place(lengths)
    loop do
      taken = []
      ships = lengths.map do |length|
        across = @luck.rand(2).zero?
        column = @luck.rand(across ? @columns - length + 1 : @columns)
        row = @luck.rand(across ? @rows : @rows - length + 1)
        taken += Array.new(length) { |i| across ? [column + i, row] : [column, row + i] }
        "#{length}:#{name([column, row])}:#{across ? 'H' : 'V'}"
      end
      return "SHIPS #{ships.join(' ')}" if taken.uniq == taken
    end
  end

  # Fresh cells beside hits first, then any fresh ones; where there are too few, old ones again.
  def shoot(count)
    @own_volley_is_next = true
    beside, others = (@cells - @shot_at).shuffle(random: @luck).partition { |cell| beside_a_hit?(cell) }
    volley = (beside + others + @cells).take(count)
    "SHOTS #{volley.map { |cell| name(cell) }.join(' ')}"
  end

  def beside_a_hit?(cell)
    SIDES.any? { |right, down| @hits.include?([cell[0] + right, cell[1] + down]) }
  end

  # After a question for shots, the next volley that is told is the player's own. To look at the
  # name instead goes wrong where the opponent has the same one.
  def volley(answers)
    return unless @own_volley_is_next

    @own_volley_is_next = false
    answers.each do |answer|
      shot, result = answer.split(":")
      @shot_at << cell(shot)
      @hits << cell(shot) if result == "hit"
    end
  end
end

# All luck comes from BOT_SEED, so that a game can be played again.
player = Player.new(ENV.key?("BOT_SEED") ? Random.new(ENV["BOT_SEED"].to_i) : Random.new)
while (line = $stdin.gets)
  case line.chomp
  when /\AINFO SETUP players:\w+,\w+ board:(\d+x\d+)/ then player.begin($1)
  when /\AINFO SHOTS \w+ (.*)/ then player.volley($1.split)
  when /\AACTION SHIPS (.*)/ then puts player.place($1.split(",").map(&:to_i))
  when /\AACTION SHOTS (\d+)/ then puts player.shoot($1.to_i)
  when "ACTION FINISH" then puts "FINISH"
  end
end
