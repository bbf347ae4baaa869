[asked] = System.argv()
cells = for x <- 0..7, y <- 0..7, do: ~s("#{x}#{y}")

if asked =~ "init" do
  IO.write(~S({"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}))
else
  IO.write(~s({"move":#{Enum.find(cells, &(not String.contains?(asked, &1)))}}))
end
