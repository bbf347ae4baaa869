// A Battleships bot that places its ships at random and shoots beside its hits.
//
// The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
// and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.
//
// The packages fmt and encoding/json would take most of the 2 MiB that a bot may have.
package main

import (
	"os"
	"strconv"
	"strings"
)

var luck uint64

// draw is a number from 0 to n - 1 (the generator is splitmix64).
func draw(n int) int {
	luck += 0x9e3779b97f4a7c15
	mixed := luck
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed = (mixed ^ mixed>>27) * 0x94d049bb133111eb
	return int((mixed ^ mixed>>31) % uint64(n))
}

func text(cell int) string {
	return `"` + strconv.Itoa(cell/10) + strconv.Itoa(cell%10) + `"`
}

// place draws each ship by itself, and all again if two overlap.
func place() string {
	for {
		taken := map[int]bool{}
		ships := []string{}
		for size := 2; size <= 5; size++ {
			along, across, step, way := draw(9-size), draw(8), 1, "vertical"
			start := 10*across + along
			if draw(2) == 0 {
				start, step, way = 10*along+across, 10, "horizontal"
			}
			for i := 0; i < size; i++ {
				taken[start+i*step] = true
			}
			ship := `":{"point":` + text(start) + `,"orientation":"` + way + `"}`
			ships = append(ships, `"`+strconv.Itoa(size)+ship)
		}
		if len(taken) == 2+3+4+5 {
			return "{" + strings.Join(ships, ",") + "}"
		}
	}
}

// shoot picks a fresh cell beside a hit, or else any fresh one.
func shoot(hit, missed map[int]bool) int {
	var fresh, beside []int
	for cell := 0; cell < 78; cell++ {
		if cell%10 > 7 || hit[cell] || missed[cell] {
			continue
		}
		fresh = append(fresh, cell)
		if hit[cell-10] || hit[cell-1] || hit[cell+1] || hit[cell+10] {
			beside = append(beside, cell)
		}
	}
	if len(beside) > 0 {
		fresh = beside
	}
	return fresh[draw(len(fresh))]
}

// cells returns the cells that the request, JSON without spaces, lists under a key.
func cells(request, key string) map[int]bool {
	set := map[int]bool{}
	_, after, _ := strings.Cut(request, `"`+key+`":[`)
	list, _, _ := strings.Cut(after, "]")
	for _, cell := range strings.Split(list, ",") {
		if number, err := strconv.Atoi(strings.Trim(cell, `"`)); err == nil {
			set[number] = true
		}
	}
	return set
}

func main() {
	request := os.Args[1]
	// All luck comes from BOT_SEED and the request, so that a game can be played again.
	for _, letter := range []byte(os.Getenv("BOT_SEED") + request) {
		luck = luck*1099511628211 + uint64(letter)
	}
	reply := ""
	if strings.Contains(request, `"cmd":"init"`) {
		reply = place()
	} else {
		reply = `{"move":` + text(shoot(cells(request, "hit"), cells(request, "missed"))) + "}"
	}
	os.Stdout.WriteString(reply + "\n")
}
