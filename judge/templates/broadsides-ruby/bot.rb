# A Broadsides player that places its ships at random and shoots beside its hits.
#
# The judge starts it once for a game. Each line that it reads tells what has happened (INFO) or
# asks for something (ACTION). It answers each ACTION with one line.
#
# A cell is kept as [column, row], both counted from 0: [2, 4] is C5 in a line.

# Without this, Ruby buffers what is printed, and every answer comes too late.
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

  # Takes the size of the board, such as "10x10".
  def begin(board)
    @columns, @rows = board.split("x").map(&:to_i)
    @cells = [*0...@columns].product([*0...@rows])
  end

  # A fleet. Each ship is drawn by itself, and all again if two overlap.
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

  # Fresh cells beside hits first, then other fresh cells; if there are too few, old cells again.
  def shoot(count)
    @own_volley_is_next = true
    beside, others = (@cells - @shot_at).shuffle(random: @luck).partition { |cell| beside_a_hit?(cell) }
    volley = (beside + others + @cells).take(count)
    "SHOTS #{volley.map { |cell| name(cell) }.join(' ')}"
  end

  def beside_a_hit?(cell)
    SIDES.any? { |right, down| @hits.include?([cell[0] + right, cell[1] + down]) }
  end

  # The first volley told after a question for shots is the player's own. The name in the line does
  # not tell, since the opponent may have the same name.
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
