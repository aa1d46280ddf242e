module example.com/deadlines

go 1.22
