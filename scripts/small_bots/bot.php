<?php
$asked = $argv[1];
if (str_contains($asked, 'init')) exit('{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}');
for ($i = 0; str_contains($asked, $cell = sprintf('"%d%d"', intdiv($i, 8), $i % 8)); $i++);
echo "{\"move\":$cell}";
