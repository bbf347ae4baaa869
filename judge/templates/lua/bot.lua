-- A Battleships bot that places its ships at random and shoots beside its hits.
--
-- The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
-- and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.

local SIZES = { 2, 3, 4, 5 }
local request = arg[1]

-- All luck comes from BOT_SEED and the request, so that a game can be played again.
local state = 0
for letter in ((os.getenv("BOT_SEED") or "") .. request):gmatch(".") do
  state = (state * 31 + letter:byte()) % 4294967296
end

-- A number from 0 to n - 1 (the generator is the one of Numerical Recipes).
local function draw(n)
  state = (state * 1664525 + 1013904223) % 4294967296
  return math.floor(state / 65536) % n
end

-- A fleet. Each ship is drawn by itself, and all again if two overlap.
local function place()
  local taken, count, ships = {}, 0, {}
  for _, size in ipairs(SIZES) do
    local along, across, horizontal = draw(9 - size), draw(8), draw(2) == 0
    local start = horizontal and 10 * along + across or 10 * across + along
    for i = 0, size - 1 do
      local cell = start + i * (horizontal and 10 or 1)
      if not taken[cell] then count = count + 1 end
      taken[cell] = true
    end
    local way = horizontal and "horizontal" or "vertical"
    ships[#ships + 1] = ('"%d":{"point":"%02d","orientation":"%s"}'):format(size, start, way)
  end
  return count == 2 + 3 + 4 + 5 and "{" .. table.concat(ships, ",") .. "}" or place()
end

-- The cells that the request, JSON without any spaces, lists under a key.
local function cells(key)
  local set = {}
  for cell in request:match('"' .. key .. '":%[(.-)%]'):gmatch("%d%d") do
    set[tonumber(cell)] = true
  end
  return set
end

-- A fresh cell beside a hit, or else any fresh one.
local function shoot(hit, missed)
  local fresh, beside = {}, {}
  for cell = 0, 77 do
    if cell % 10 < 8 and not hit[cell] and not missed[cell] then
      fresh[#fresh + 1] = cell
      if hit[cell - 10] or hit[cell - 1] or hit[cell + 1] or hit[cell + 10] then
        beside[#beside + 1] = cell
      end
    end
  end
  local choice = #beside > 0 and beside or fresh
  return choice[1 + draw(#choice)]
end

if request:find('"cmd":"init"', 1, true) then
  print(place())
else
  print(('{"move":"%02d"}'):format(shoot(cells("hit"), cells("missed"))))
end
