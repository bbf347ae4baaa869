BEGIN {
  asked = ARGV[1]
  if (asked ~ /init/) {
    print "{\"2\":{\"point\":\"14\",\"orientation\":\"vertical\"},\"3\":{\"point\":\"05\",\"orientation\":\"vertical\"},\"4\":{\"point\":\"10\",\"orientation\":\"vertical\"},\"5\":{\"point\":\"00\",\"orientation\":\"vertical\"}}"
    exit
  }
  while (index(asked, cell = sprintf("\"%d%d\"", i / 8, i % 8))) i++
  print "{\"move\":" cell "}"
}
