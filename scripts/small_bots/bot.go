package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	asked := os.Args[1]
	if strings.Contains(asked, "init") {
		fmt.Println(`{"2":{"point":"14","orientation":"vertical"},"3":{"point":"05","orientation":"vertical"},"4":{"point":"10","orientation":"vertical"},"5":{"point":"00","orientation":"vertical"}}`)
		return
	}
	for i := 0; ; i++ {
		cell := fmt.Sprintf("%d%d", i/8, i%8)
		if !strings.Contains(asked, "\""+cell+"\"") {
			fmt.Printf("{\"move\":\"%s\"}\n", cell)
			return
		}
	}
}
