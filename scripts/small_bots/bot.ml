let () =
  let asked = Sys.argv.(1) in
  let has word =
    let n = String.length word in
    let rec at i = i + n <= String.length asked && (String.sub asked i n = word || at (i + 1)) in
    at 0 in
  let rec free i =
    let cell = Printf.sprintf "\"%d%d\"" (i / 8) (i mod 8) in
    if has cell then free (i + 1) else cell in
  if has "init" then
    print_string {|{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}|}
  else Printf.printf "{\"move\":%s}" (free 0)
