import type { Command } from 'commander'
import { runServerProgram, type SERVER_PACKAGES } from './program.ts'

/** `engine serve` */
export const defineServe = (command: Command): void => pass(command, 'engine')

/** `engine platform` */
export const definePlatform = (command: Command): void => pass(command, 'platform')

/** All arguments belong to the program, also `--help`. */
function pass(command: Command, name: keyof typeof SERVER_PACKAGES): void {
  command
    .argument('[arguments...]', 'of the program')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: readonly string[]) => {
      process.exitCode = await runServerProgram(name, args)
    })
}
