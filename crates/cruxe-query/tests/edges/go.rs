//! Go.

use crate::support::check;

#[test]
fn packages_are_found_by_the_path_of_their_module() {
    check(
        "store/store.go Open",
        &[
            ("go.mod", "module example.com/app\n"),
            ("store/store.go", "package store\n\nfunc Open(name string) *DB { return nil }\n\ntype DB struct{}\n"),
            ("store/extra.go", "package store\n\nfunc again() { Open(\"x\") } // <-\n"),
            (
                "main.go",
                "package main

import (
	\"example.com/app/store\"
	other \"example.com/other/store\"
	\"os\"
)

func main() {
	store.Open(\"a\") // <-
	other.Open(\"b\")
	os.Open(\"c\")
}
",
            ),
            (
                "aliased/a.go",
                "package aliased\n\nimport db \"example.com/app/store\"\n\nvar x = db.Open(\"d\") // <-\nfunc Open() {}\nfunc y() { Open() }\n",
            ),
        ],
    );
}

#[test]
fn methods_belong_to_the_type_of_their_receiver() {
    check(
        "Conn.Close",
        &[
            ("go.mod", "module example.com/app\n"),
            (
                "a.go",
                "package app

type Conn struct{ name string }

func (c *Conn) Close() error { return nil }

type Other struct{}

func (o Other) Close() error { return nil }

type Pool struct {
	*Conn
	conns map[string]*Conn
	list  []Conn
}

func dial() (*Conn, error) { return &Conn{}, nil }

func use(p *Pool, o Other) {
	c, err := dial()
	c.Close() // <-
	o.Close()
	p.Close() // <-
	p.conns[\"x\"].Close() // <-
	for _, c := range p.list {
		c.Close() // <-
	}
	defer (&Conn{}).Close() // <-
	f := c.Close // <-
	if err := p.Conn.Close(); err != nil { // <-
	}
	x := Other{}
	x.Close()
	_, _ = f, err
}
",
            ),
        ],
    );
}

#[test]
fn interface_methods_are_found_through_values_of_the_interface() {
    check(
        "Handler.Serve",
        &[
            ("go.mod", "module example.com/app\n"),
            (
                "a.go",
                "package app

type Handler interface{ Serve() }
type impl struct{}

func (i impl) Serve() {}

func run(h Handler, i impl) {
	h.Serve() // <-
	i.Serve()
}

type Router interface {
	Handler
}

func route(r Router) { r.Serve() } // <-
",
            ),
        ],
    );
}

#[test]
fn fields_are_found_in_selectors_and_literals() {
    check(
        "Config.Name",
        &[
            ("go.mod", "module example.com/app\n"),
            (
                "a.go",
                "package app

type Config struct{ Name string }
type Other struct{ Name string }

var c = Config{Name: \"x\"} // <-
var o = Other{Name: \"y\"}

func f() string {
	o.Name = c.Name // <-
	return Name
}

var Name = \"z\"
",
            ),
        ],
    );
}
