import { type BranchCounts, createProgram, type Host, type Program, type Ruleset } from '@engine/ruleset'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import { bareDigest } from '../catalog/content-digest.ts'
import { withTimeout } from '../catalog/decoding.ts'
import { ExecutionRecording } from '../receipts/recording.ts'
import type { StoredRuleset } from '../store/store.ts'

/** The programs of the stored rulesets: created at first use, then found by one look-up. */
export interface Programs {
  /** The program of a stored ruleset; undefined if no ruleset has that name. */
  get(name: string): Program | undefined
  /** Creates a program of a ruleset that is not stored. */
  create(ruleset: Ruleset): Program
  /** A ruleset with the limits of the tenant and of `--contracts` applied. */
  limited(ruleset: Ruleset): Ruleset
  /** Called when the limits of all programs have changed. */
  limitsChanged(): void
  /** The digest of the content from which a program of a stored ruleset was created: 64 hexadecimal digits. */
  digestOf(program: Program): Promise<string>
  /** Resolves the names of `call_ruleset`. */
  readonly resolver: Host['rulesets']
}

export interface ProgramsOptions {
  /** Longest execution of any ruleset in milliseconds; undefined: unlimited. Read again after `limitsChanged`. */
  readonly longestMs: () => number | undefined
  /** The strictest mode in which contracts are checked; `ruleset`: the mode of the ruleset. */
  readonly contracts: 'ruleset' | 'warn' | 'off'
  /** The counts of the branches of a stored ruleset; undefined if they are not counted. */
  readonly branchCounts?: ((stored: StoredRuleset, ruleset: Ruleset) => BranchCounts | undefined) | undefined
  /** Called with each program of a stored ruleset. */
  readonly made?: ((program: Program, stored: StoredRuleset) => void) | undefined
  /** The host of all programs, given the resolver for `call_ruleset`. */
  readonly host: (rulesets: Host['rulesets']) => Host
}

/** A stored ruleset, decoded and compiled on demand. */
interface Known {
  readonly stored: StoredRuleset
  /** As in the document, before the limits of the tenant are applied. */
  readonly ruleset: Ruleset
  /** Undefined until first used under the current limits. */
  program: Program | undefined
}

export function createPrograms(
  catalog: Pick<RulesetCatalog, 'get' | 'rulesetOf' | 'onShown'>,
  options: ProgramsOptions,
): Programs {
  const known = new Map<string, Known>()
  const contents = new WeakMap<Program, StoredRuleset>()
  let generation = 0
  const resolver: Host['rulesets'] = {
    resolve(name, context) {
      const program = get(name)
      if (program !== undefined && context instanceof ExecutionRecording) context.reached(program)
      return program
    },
    get generation() {
      return generation
    },
  }
  const host = options.host(resolver)

  function get(name: string): Program | undefined {
    const found = known.get(name) ?? load(name)
    if (found === undefined) return undefined
    return (found.program ??= made(found))
  }

  function made({ ruleset, stored }: Known): Program {
    const program = createProgram(limited(ruleset), host, { branchCounts: options.branchCounts?.(stored, ruleset) })
    contents.set(program, stored)
    options.made?.(program, stored)
    return program
  }

  function load(name: string): Known | undefined {
    const stored = catalog.get(name)
    if (stored === undefined) return undefined
    const loaded = { stored, ruleset: catalog.rulesetOf(stored), program: undefined }
    known.set(name, loaded)
    return loaded
  }

  function limited(ruleset: Ruleset): Ruleset {
    return withMode(withTimeout(ruleset, shorter(ruleset.config.timeoutMs, options.longestMs())), options.contracts)
  }

  catalog.onShown((name) => {
    generation++
    known.delete(name)
  })

  return {
    get,
    create: (ruleset) => createProgram(limited(ruleset), host),
    limited,
    limitsChanged: () => {
      generation++
      for (const one of known.values()) one.program = undefined
    },
    digestOf(program) {
      const stored = contents.get(program)
      if (stored === undefined) throw new TypeError('a program of no stored ruleset has no digest')
      return bareDigest(stored)
    },
    resolver,
  }
}

const MODES = ['off', 'warn', 'enforce'] as const

/** A ruleset whose contract is checked at most in this mode. */
function withMode(ruleset: Ruleset, strongest: ProgramsOptions['contracts']): Ruleset {
  const { contract } = ruleset.config
  if (contract === undefined || strongest === 'ruleset') return ruleset
  const mode = MODES[Math.min(MODES.indexOf(contract.mode), MODES.indexOf(strongest))] ?? 'off'
  return mode === contract.mode
    ? ruleset
    : { ...ruleset, config: { ...ruleset.config, contract: { ...contract, mode } } }
}

/**
 * The shorter of two time limits, where 0 means unlimited.
 *
 * @internal
 */
export function shorter(asked: number, longest: number | undefined): number {
  if (longest === undefined) return asked
  return asked === 0 ? longest : Math.min(asked, longest)
}
