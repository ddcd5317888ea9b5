import { BadKey, parsePrivateKey, publicKeyOf, type TrustedKeys } from '@engine/signing'
import type { Configuration } from '../config/config.ts'
import { parseTokens, type Token } from './tokens.ts'
import { LineFileError, readStartFile, StartError } from '@engine/process'
import { NO_MINIMUM, parseMinimumVersions, type MinimumVersions } from '../signatures/minimum-versions.ts'
import { parseTrustedKeys } from '../signatures/trusted-keys.ts'

/** The tokens of callers. Undefined if the option is not set: there is no access control. */
export async function readTokens(configuration: Configuration): Promise<readonly Token[] | undefined> {
  const { apiTokensFile, multiTenancyEnabled } = configuration
  const tokens = await readList('--api-tokens-file', apiTokensFile, parseTokens)
  const bound = multiTenancyEnabled ? undefined : tokens?.find(({ tenants }) => tenants !== undefined)
  if (bound === undefined) return tokens
  throw new StartError(
    `--api-tokens-file: \`${apiTokensFile}\`: the token \`${bound.name}\` is for tenants, and --multi-tenancy-enabled is off`,
  )
}

/** The trusted public keys, from the list and from the file. */
export async function readTrustedKeys(configuration: Configuration): Promise<TrustedKeys> {
  const { signatureTrustedKeys, signatureTrustedKeysFile, signatureRequire } = configuration
  const option = '--signature-trusted-keys-file'
  const listed = await readList(option, signatureTrustedKeysFile, parseTrustedKeys)
  const keys = new Set([...signatureTrustedKeys, ...(listed ?? [])])
  if (signatureRequire && keys.size === 0)
    throw new StartError(
      `${option}: \`${signatureTrustedKeysFile}\`: there is no key in it, and --signature-require needs one`,
    )
  return keys
}

/**
 * The private key of receipts. Undefined without `--receipts`. A key that signs rulesets is refused: with it, a publisher of
 * rules could forge receipts.
 */
export async function readReceiptsKey(configuration: Configuration): Promise<string | undefined> {
  const { receipts, receiptsKey } = configuration
  if (receipts === 'off' || receiptsKey === undefined) return undefined
  const text = (await readStartFile('--receipts-key', receiptsKey)).toString('latin1').trim()
  const refuse = (reason: string) => new StartError(`--receipts-key: \`${receiptsKey}\`: ${reason}`)
  try {
    if ((await readTrustedKeys(configuration)).has(publicKeyOf(parsePrivateKey(text))))
      throw refuse('this key signs rulesets: receipts need a key of their own')
  } catch (error) {
    if (error instanceof BadKey) throw refuse(error.message)
    throw error
  }
  return text
}

/** The minimum version of each ruleset. */
export async function readMinimumVersions({ signatureMinVersion }: Configuration): Promise<MinimumVersions> {
  const option = '--signature-min-version'
  return (await readList(option, signatureMinVersion, parseMinimumVersions)) ?? NO_MINIMUM
}

/** Reads a file with one entry per line. Undefined if the option is not set. Mistakes in the file prevent the start. */
async function readList<T>(
  option: string,
  file: string | undefined,
  parse: (text: string) => T,
): Promise<T | undefined> {
  if (file === undefined) return undefined
  const text = (await readStartFile(option, file)).toString()
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof LineFileError)) throw error
    throw new StartError(`${option}: \`${file}\`: ${error.message}`, { cause: error })
  }
}
