import { type Command, InvalidArgumentError } from 'commander'
import { createHash, randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { writeError } from '../files.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'

/** Bytes of randomness in a token, as hexadecimal digits. */
const TOKEN_BYTES = 32

/** The scopes of an engine's tokens (docs/access.md). */
const TOKEN_SCOPES = ['read', 'execute', 'trace', 'write', 'admin'] as const

interface TokenFlags extends JsonFlag {
  readonly scope: readonly string[]
  readonly tenant?: readonly string[]
  readonly file?: string
}

/** `engine token` */
export function defineToken(command: Command): void {
  addJson(command)
    .argument('<name>', 'who uses the token; appears in audit events', tokenName)
    .requiredOption(
      '-s, --scope <scopes>',
      `what the token may do, separated by commas: ${TOKEN_SCOPES.join(', ')}`,
      scopes,
    )
    .option('-t, --tenant <ids>', 'tenants that it may name, separated by commas (default: all)', tenants)
    .option('-f, --file <file>', 'the tokens file of the engine, to which the line is added')
    .addHelpText(
      'after',
      '\nThe token is printed once and stored nowhere: the file (--api-tokens-file of the engine) has only its digest.',
    )
    .action(async (name: string, { scope, tenant, file, json }: TokenFlags) => {
      const token = randomBytes(TOKEN_BYTES).toString('hex')
      const digest = createHash('sha256').update(token).digest('hex')
      const line = [name, scope.join(','), digest, ...(tenant === undefined ? [] : [tenant.join(',')])].join(':')
      if (file !== undefined) await addLine(file, line)
      printResult({ json }, { token, line }, file === undefined ? `token: ${token}\nline:  ${line}` : token)
    })
}

/** A file that is created can be read only by its owner. */
async function addLine(file: string, line: string): Promise<void> {
  try {
    await appendFile(file, `${line}\n`, { mode: 0o600, flush: true })
  } catch (cause) {
    throw writeError(file, cause)
  }
}

function tokenName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text)) throw new InvalidArgumentError('Expected 1 to 64 letters, digits, `.`, `_`, `-`.')
  return text
}

function scopes(text: string): readonly string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !TOKEN_SCOPES.some((known) => known === name))
  if (unknown !== undefined) throw new InvalidArgumentError(`\`${unknown}\` is not one of ${TOKEN_SCOPES.join(', ')}.`)
  return names
}

function tenants(text: string): readonly string[] {
  const ids = text.split(',')
  if (ids.some((id) => !/^[\w-]{1,64}$/.test(id))) throw new InvalidArgumentError('Expected ids of tenants.')
  return ids
}
