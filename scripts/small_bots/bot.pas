var
  i: integer = 0;

function cell: string;
begin
  cell := '"' + chr(48 + i div 8) + chr(48 + i mod 8) + '"';
end;

begin
  if pos('init', ansistring(argv[1])) > 0 then
    write('{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},',
      '"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}')
  else
  begin
    while pos(cell, ansistring(argv[1])) > 0 do inc(i);
    write('{"move":', cell, '}');
  end;
end.
