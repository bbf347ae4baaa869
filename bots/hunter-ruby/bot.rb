# hunter in Ruby: follows lines of hits, forgets sunk ships, and searches no finer than it must.
#
# A hit is settled if every way to lay the sunk ships on the hits uses it; all others are open. It
# shoots first at the ends of lines of open hits, then around single ones. With nothing to follow it
# searches every n-th diagonal, n being the smallest ship afloat, which none can slip through.
#
# A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right
# is + 10, and as no digit is 8 or 9 a step off the grid never lands on it again.

require "json"

CELLS = (0..77).select { |cell| cell % 10 < 8 }
STEPS = [-10, -1, 1, 10] # left, up, down, right
LINES = (2..5).to_h do |size| # every way for a ship of each size to lie
  lines = CELLS.product([1, 10]).map { |cell, step| Array.new(size) { |i| cell + i * step } }
  [size, lines.select { |line| (line - CELLS).empty? }]
end

# A fleet, each legal one as likely: every ship drawn by itself, and all anew on an overlap.
def place(luck)
  loop do
    fleet = LINES.transform_values { |lines| lines.sample(random: luck) }
    next unless fleet.values.flatten.uniq.size == fleet.keys.sum

    return fleet.transform_values do |ship|
      { point: format("%02d", ship[0]), orientation: ship[1] - ship[0] == 1 ? "vertical" : "horizontal" }
    end
  end
end

# Every way to lay sunk ships of these sizes on the hits: for each the cells that they take.
def layings(hit, sizes)
  return [[]] if sizes.empty?

  size, *others = sizes
  LINES[size].select { |line| (line - hit).empty? }.flat_map do |line|
    layings(hit - line, others).map { |rest| line + rest }
  end
end

# The end of a line, or else beside an open hit, or else on a diagonal, or else any fresh cell.
def shoot(hit, missed, destroyed, luck)
  fresh = CELLS - hit - missed
  open = hit - layings(hit, destroyed).reduce(:&)
  ends = fresh.select { |cell| STEPS.any? { |step| ([cell + step, cell + 2 * step] - open).empty? } }
  around = fresh.select { |cell| STEPS.any? { |step| open.include?(cell + step) } }
  smallest = (LINES.keys - destroyed).min
  diagonals = fresh.select { |cell| cell.digits.sum % smallest == 0 }
  [ends, around, diagonals, fresh].find(&:any?).sample(random: luck)
end

request = JSON.parse(ARGV[0])
# Numbers all: in one dialect the sizes destroyed are strings, as the cells are in both.
hit, missed, destroyed = %w[hit missed destroyed].map { |key| request.fetch(key, []).map(&:to_i) }

# With a seed all luck comes from it and from how far the game is, so that it can be repeated.
turn = request["cmd"] == "init" ? 99 : hit.size + missed.size
luck = ENV.key?("BOT_SEED") ? Random.new(ENV["BOT_SEED"].to_i * 100 + turn) : Random.new
reply = request["cmd"] == "init" ? place(luck) : { move: format("%02d", shoot(hit, missed, destroyed, luck)) }
puts JSON.generate(reply)
