import { jsonValue } from '@engine/expression'
import { Command, CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { placed } from './problem.ts'

/** The command failed, or the file is not valid. One line for the user; exit code 1. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** An error about the content of a file, with its position if there is one. */
type FileFault = abstract new (...args: never[]) => Error & { readonly path?: string }

/** Process the content of a file: errors of these kinds become a `ToolError` about the file. */
export function withFile<T>(file: string, faults: readonly FileFault[], run: () => T): T {
  try {
    return run()
  } catch (error) {
    for (const fault of faults)
      if (error instanceof fault) throw new ToolError(placed(file, { path: error.path ?? '', message: error.message }))
    throw error
  }
}

/** A command of this name, with help and version. Its action may throw a `ToolError`. */
export function tool(name: string, description: string): Command {
  const { version } = jsonValue(readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8')) as {
    version: string
  }
  return new Command(name)
    .description(description)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({ helpWidth: 120 })
    .showHelpAfterError(`See \`${name} --help\`.`)
    .exitOverride()
}

/** Run a command with the arguments of this process. Exit code: 0; 1 after a `ToolError`; 2 after a wrong call. */
export async function runTool(command: Command): Promise<void> {
  try {
    await command.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else if (error instanceof ToolError) {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    } else throw error
  }
}
