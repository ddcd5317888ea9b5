import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { exitProcess } from '../../packages/process/src/process-end.ts'

/** A program that exits with 3 while it opens a file. */
void open(process.argv[2] ?? '')
await delay(100)
exitProcess(3)
