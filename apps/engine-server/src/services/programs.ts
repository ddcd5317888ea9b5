import type { Value } from '@engine/expression'
import {
  createProgram,
  decodeRuleset,
  type DecodedRuleset,
  type DecodeOptions,
  type Fault,
  type Host,
  type Program,
  type Ruleset,
  type RulesetDocument,
  rulesetDecoding,
} from '@engine/ruleset'
import { documentOf, type Store, type StoredRuleset } from '../store/store.ts'
import { inTurns } from '../turns.ts'

/** The programs of the stored rulesets: made at first use, one look-up from then on. */
export interface Programs {
  /** The program of a stored ruleset; undefined when there is none of that name. */
  get(name: string): Program | undefined
  /** A program of a ruleset that is not stored. */
  create(ruleset: Ruleset): Program
  /** A ruleset under the limits of the tenant. */
  limited(ruleset: Ruleset): Ruleset
  /**
   * Read and check a document, with the server's default timeout where it has none; a large one in turns with other
   * requests.
   */
  decode(document: Value, text?: string): Promise<DecodedRuleset>
  /** The stored ruleset of this name has changed, or is gone. */
  changed(name: string): void
  /** The same, and what was decoded of it: so its program need not be made from its text again. */
  changedTo(stored: StoredRuleset, ruleset: Ruleset): void
  /** The limits of all of them have changed. */
  limitsChanged(): void
  /** What `call_ruleset` resolves names with. */
  readonly resolver: Host['rulesets']
}

export interface ProgramsOptions {
  /** Milliseconds for rulesets that do not say; 0 is off. */
  readonly executionTimeoutMs: number
  /** Milliseconds that no ruleset may exceed, whatever it says; undefined: none. Asked anew after `limitsChanged`. */
  readonly longestMs: () => number | undefined
  /** The tenant that `config.tenant_id` must name, where it names one; undefined: it may be anything. */
  readonly tenant: string | undefined
  /** The known capabilities, for warnings about calls of unknown ones. */
  readonly capabilities: NonNullable<DecodeOptions['capabilities']>
  /** The host of all programs, given the resolver for `call_ruleset`. */
  readonly host: (rulesets: Host['rulesets']) => Host
}

/** A stored ruleset, decoded and compiled on demand. */
interface Known {
  /** As the document has it: the limits of the tenant are not in it. */
  readonly ruleset: Ruleset
  /** Undefined until it is first asked for under the present limits. */
  program: Program | undefined
}

/** Characters of a document from which on it is decoded in turns with other requests. */
const LARGE = 32 * 1024

export function createPrograms(store: Pick<Store, 'get'>, options: ProgramsOptions): Programs {
  const known = new Map<string, Known>()
  let generation = 0
  const resolver: Host['rulesets'] = {
    resolve: (name) => get(name),
    get generation() {
      return generation
    },
  }
  const host = options.host(resolver)

  function get(name: string): Program | undefined {
    const found = known.get(name) ?? load(name)
    if (found === undefined) return undefined
    return (found.program ??= createProgram(limited(found.ruleset), host))
  }

  function load(name: string): Known | undefined {
    const stored = store.get(name)
    if (stored === undefined) return undefined
    const document = documentOf(stored)
    const { ruleset, problems } = judged(document, decodeRuleset(document, { capabilities: options.capabilities }))
    // The store holds only documents that could be decoded.
    if (ruleset === undefined) throw new TypeError(`stored ruleset ${stored.name}: ${problems[0]?.message ?? ''}`)
    const loaded = { ruleset, program: undefined }
    known.set(name, loaded)
    return loaded
  }

  /** The server's warnings about a decoded document. */
  function judged(document: Value, decoded: DecodedRuleset): DecodedRuleset {
    const { ruleset } = decoded
    if (ruleset === undefined) return decoded
    const { tenantId } = ruleset.config
    if (options.tenant !== undefined && tenantId !== null && tenantId !== options.tenant)
      return { problems: [foreign(tenantId, options.tenant)], warnings: decoded.warnings }
    if (saysTimeout(document)) return decoded
    return { ...decoded, ruleset: withTimeout(ruleset, options.executionTimeoutMs) }
  }

  function limited(ruleset: Ruleset): Ruleset {
    return withTimeout(ruleset, shorter(ruleset.config.timeoutMs, options.longestMs()))
  }

  function forget(name: string): void {
    generation++
    known.delete(name)
  }

  return {
    get,
    create: (ruleset) => createProgram(limited(ruleset), host),
    limited,
    async decode(document, text) {
      const isLarge = text === undefined || text.length > LARGE
      const asked = { text, capabilities: options.capabilities }
      const decoded = isLarge ? await inTurns(rulesetDecoding(document, asked)) : decodeRuleset(document, asked)
      return judged(document, decoded)
    },
    changed: forget,
    changedTo(stored, ruleset) {
      forget(stored.name)
      // Another change may have followed already.
      if (store.get(stored.name) === stored) known.set(stored.name, { ruleset, program: undefined })
    },
    limitsChanged: () => {
      generation++
      for (const one of known.values()) one.program = undefined
    },
    resolver,
  }
}

function withTimeout(ruleset: Ruleset, timeoutMs: number): Ruleset {
  return { ...ruleset, config: { ...ruleset.config, timeoutMs } }
}

/** The shorter of two time limits, of which 0 is none. */
function shorter(asked: number, longest: number | undefined): number {
  if (longest === undefined) return asked
  return asked === 0 ? longest : Math.min(asked, longest)
}

function foreign(found: string, tenant: string): Fault {
  const message = `is \`${found}\`, and this request is one of tenant \`${tenant}\``
  return { path: '/config/tenant_id', code: 'foreign-tenant', message }
}

function saysTimeout(document: Value): boolean {
  const { config } = document as { config: RulesetDocument }
  return Object.hasOwn(config, 'timeout_ms')
}
