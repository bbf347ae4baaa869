set asked [lindex $argv 0]
for {set i 0} {[string first "\"[expr {$i / 8}][expr {$i % 8}]\"" $asked] >= 0} {incr i} {}
if {[string first init $asked] >= 0} {
  puts {{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}}
} else {
  puts "{\"move\":\"[expr {$i / 8}][expr {$i % 8}]\"}"
}
