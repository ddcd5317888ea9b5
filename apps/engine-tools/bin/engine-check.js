#!/usr/bin/env -S node --disable-proto=delete
import { launch } from '@engine/process/launch'

// Its former name, with former subcommands.
const COMMANDS = { typegen: 'typegen', migrate: 'import', backup: 'backup' }
const command = COMMANDS[process.argv[2] ?? '']
process.argv.splice(2, command === undefined ? 0 : 1, command ?? 'check')
await launch('engine-check', 'engine-tools', 'engine', 2)
