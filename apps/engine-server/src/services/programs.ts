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
} from '@engine/ruleset'
import { documentOf, type Store, type StoredRuleset } from '../store/store.ts'

/** The programs of the stored rulesets: made at first use, one look-up from then on. */
export interface Programs {
  /** The program of a stored ruleset; undefined when there is none of that name. */
  get(name: string): Program | undefined
  /** A program of a ruleset that is not stored. */
  create(ruleset: Ruleset): Program
  /** Read and check a document, with the server's default timeout where it has none. */
  decode(document: Value, text?: string): DecodedRuleset
  /** The stored ruleset of this name has changed, or is gone. */
  changed(name: string): void
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
  /** What rulesets are warned by when they call something else. */
  readonly capabilities: NonNullable<DecodeOptions['capabilities']>
  /** The host of all programs, given the resolver for `call_ruleset`. */
  readonly host: (rulesets: Host['rulesets']) => Host
}

export function createPrograms(store: Pick<Store, 'get'>, options: ProgramsOptions): Programs {
  const programs = new Map<string, Program>()
  let generation = 0
  const resolver: Host['rulesets'] = {
    resolve: (name) => get(name),
    get generation() {
      return generation
    },
  }
  const host = options.host(resolver)

  function get(name: string): Program | undefined {
    const known = programs.get(name)
    if (known !== undefined) return known
    const stored = store.get(name)
    return stored === undefined ? undefined : load(stored)
  }

  function load(stored: StoredRuleset): Program {
    const { ruleset, problems } = decode(documentOf(stored))
    // What is stored has been decoded before it was.
    if (ruleset === undefined) throw new TypeError(`stored ruleset ${stored.name}: ${problems[0]?.message ?? ''}`)
    const program = createProgram(ruleset, host)
    programs.set(stored.name, program)
    return program
  }

  function decode(document: Value, text?: string): DecodedRuleset {
    const decoded = decodeRuleset(document, { text, capabilities: options.capabilities })
    const { ruleset } = decoded
    if (ruleset === undefined) return decoded
    const { tenantId } = ruleset.config
    if (options.tenant !== undefined && tenantId !== null && tenantId !== options.tenant)
      return { problems: [foreign(tenantId, options.tenant)], warnings: decoded.warnings }
    const asked = saysTimeout(document) ? ruleset.config.timeoutMs : options.executionTimeoutMs
    const timeoutMs = shorter(asked, options.longestMs())
    return { ...decoded, ruleset: { ...ruleset, config: { ...ruleset.config, timeoutMs } } }
  }

  return {
    get,
    create: (ruleset) => createProgram(ruleset, host),
    decode,
    changed: (name) => {
      generation++
      programs.delete(name)
    },
    limitsChanged: () => {
      generation++
      programs.clear()
    },
    resolver,
  }
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
