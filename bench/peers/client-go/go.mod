module leadership.test/client-go

go 1.24

require (
	golang.org/x/sys v0.31.0
	k8s.io/apimachinery v0.33.4
	k8s.io/client-go v0.33.4
)
