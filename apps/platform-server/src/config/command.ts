import { type Environment, type OptionsRead, type OptionTable, readOptions } from '@engine/process'
import { VERSION } from '../version.ts'
import { OPTIONS } from './options.ts'

/**
 * Reads the options of a command other than `serve`. The environment may contain options of the server, which the
 * command ignores.
 *
 * @param args the arguments after the command
 */
export function readCommand<Table extends OptionTable>(
  command: string,
  description: string,
  options: Table,
  args: readonly string[],
  env: Environment,
): OptionsRead<Table> {
  const program = {
    name: `engine-platform ${command}`,
    description,
    version: VERSION,
    options,
    combinations: [],
    envPrefix: 'ENGINE_PLATFORM_',
    ownVariables: Object.values(OPTIONS).flatMap(({ env: name }) => name ?? []),
    otherFlags: Object.values(OPTIONS).map(({ flag }) => flag),
  } as const
  return readOptions<Table>(program, args, env)
}
