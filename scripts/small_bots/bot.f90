program bot
  character(4096) :: asked
  character(4) :: cell
  integer :: i
  call get_command_argument(1, asked)
  if (index(asked, 'init') > 0) then
    print '(a)', '{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},'// &
      '"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}'
    stop
  end if
  do i = 0, 63
    write (cell, '(a,i1,i1,a)') '"', i / 8, mod(i, 8), '"'
    if (index(asked, cell) == 0) exit
  end do
  print '(3a)', '{"move":', cell, '}'
end program
