# salvo_ruby: fires where most ships could lie, and where its hits go on; for broadsides.
#
# It is started once for a game and reads lines: INFO tells what has happened, ACTION asks, and is
# answered by one line. A cell is [column, row], both counted from 0, so [2, 4] is C5.

# Without this, Ruby keeps what is printed to itself, and every answer comes too late.
$stdout.sync = true

LETTERS = [*"A".."Z"]
ON_A_HIT = 2 # how much more a place for a ship counts for each hit that it explains

def name(cell)
  "#{LETTERS[cell[0]]}#{cell[1] + 1}"
end

def cell(name)
  [LETTERS.index(name[0]), name[1..].to_i - 1]
end

class Player
  def initialize(luck)
    @luck = luck
    @answers = {} # to its own shots: whether each cell was hit
    @own_volley_is_next = false
  end

  def begin(board, ships)
    columns, rows = board.split("x").map(&:to_i)
    @cells = [*0...columns].product([*0...rows])
    @lengths = ships.split(",").map(&:to_i)
    @places = @lengths.uniq.to_h { |length| [length, places(columns, rows, length)] }
  end

  # Every place for a ship of that length, as its cells.
  def places(columns, rows, length)
    @cells.flat_map do |column, row|
      across = Array.new(length) { |i| [column + i, row] }
      down = Array.new(length) { |i| [column, row + i] }
      [(across if column + length <= columns), (down if row + length <= rows)].compact
    end
  end

  # A fleet: every ship drawn by itself, and all of them anew if two overlap.
  def place
    loop do
      fleet = @lengths.map { |length| @places[length].sample(random: @luck) }
      return "SHIPS #{fleet.map { |cells| ship(cells) }.join(' ')}" if fleet.flatten(1).uniq.size == @lengths.sum
    end
  end

  def ship(cells)
    "#{cells.size}:#{name(cells[0])}:#{cells[0][1] == cells[-1][1] ? 'H' : 'V'}"
  end

  # The fresh cells that count for most; old ones where there are too few.
  def shoot(count)
    @own_volley_is_next = true
    weights = self.weights
    fresh = (@cells - @answers.keys).shuffle(random: @luck).sort_by.with_index { |cell, i| [-weights[cell], i] }
    "SHOTS #{(fresh + @cells).take(count).map { |cell| name(cell) }.join(' ')}"
  end

  # For each fresh cell, how many ships could lie there.
  def weights
    weights = Hash.new(0)
    @lengths.each do |length|
      @places[length].each do |place|
        told = place.map { |cell| @answers[cell] }
        next if told.include?(false) || !told.include?(nil)

        place.zip(told) { |cell, answer| weights[cell] += 1 + ON_A_HIT * told.count(true) if answer.nil? }
      end
    end
    weights
  end

  # What is told next after a question for shots is the player's own volley. To look at the name
  # instead goes wrong where the opponent has the same one.
  def volley(answers)
    return unless @own_volley_is_next

    @own_volley_is_next = false
    answers.each do |answer|
      shot, result = answer.split(":")
      @answers[cell(shot)] = result == "hit"
    end
  end
end

# All luck comes from BOT_SEED, so that a game can be played again.
player = Player.new(ENV.key?("BOT_SEED") ? Random.new(ENV["BOT_SEED"].to_i) : Random.new)
while (line = $stdin.gets)
  case line.chomp
  when /\AINFO SETUP players:\w+,\w+ board:(\d+x\d+) ships:([\d,]+)/ then player.begin($1, $2)
  when /\AINFO SHOTS \w+ (.*)/ then player.volley($1.split)
  when /\AACTION SHIPS / then puts player.place
  when /\AACTION SHOTS (\d+)/ then puts player.shoot($1.to_i)
  when "ACTION FINISH" then puts "FINISH"
  end
end
