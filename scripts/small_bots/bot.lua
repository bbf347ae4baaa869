local asked = arg[1]
if asked:find("init") then
  print('{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}')
  return
end
for i = 0, 63 do
  local cell = string.format('"%d%d"', i // 8, i % 8)
  if not asked:find(cell, 1, true) then
    print('{"move":' .. cell .. '}')
    break
  end
end
