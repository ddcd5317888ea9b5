module engine.bench/peers

go 1.22
