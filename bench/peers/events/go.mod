module leadership.test/events

go 1.24

require golang.org/x/sys v0.31.0
