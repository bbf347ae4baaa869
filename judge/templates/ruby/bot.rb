# A Battleships bot that places its ships at random and shoots beside its hits.
#
# The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
# and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.

require "json"
require "zlib"

SIZES = [2, 3, 4, 5]
CELLS = (0..77).select { |cell| cell % 10 < 8 }

# A fleet. Each ship is drawn by itself, and all again if two overlap.
def place(luck)
  loop do
    taken = []
    fleet = SIZES.to_h do |size|
      along, across = luck.rand(9 - size), luck.rand(8)
      start, step, orientation =
        luck.rand(2).zero? ? [10 * along + across, 10, "horizontal"] : [10 * across + along, 1, "vertical"]
      taken += Array.new(size) { |i| start + i * step }
      [size, { point: format("%02d", start), orientation: orientation }]
    end
    return fleet if taken.uniq == taken
  end
end

# A fresh cell beside a hit, or else any fresh one.
def shoot(hit, missed, luck)
  fresh = CELLS - hit - missed
  beside = fresh.select { |cell| [-10, -1, 1, 10].any? { |step| hit.include?(cell + step) } }
  (beside.empty? ? fresh : beside).sample(random: luck)
end

request = JSON.parse(ARGV[0])
# All luck comes from BOT_SEED and the request, so that a game can be played again.
luck = Random.new(Zlib.crc32("#{ENV['BOT_SEED']} #{ARGV[0]}"))
if request["cmd"] == "init"
  reply = place(luck)
else
  hit, missed = request.values_at("hit", "missed").map { |cells| cells.map(&:to_i) }
  reply = { move: format("%02d", shoot(hit, missed, luck)) }
end
puts JSON.generate(reply)
