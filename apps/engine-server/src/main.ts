process.stdout.write("hi " + process.version + " " + process.execArgv + "\n")
