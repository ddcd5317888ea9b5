import { inspect } from 'node:util'
import { numberOfText, type Value } from '@engine/expression'
import { RecordedAnswers, type Report, type Witness } from '@engine/analysis'
import { decodeRuleset, type Ruleset, type RulesetDocument } from '@engine/ruleset'
import { claims, Follower, type Trail } from '../../packages/analysis/src/witness/trail.ts'
import { chance, inRange, pick, type Random } from '../../packages/ruleset/src/random.testing.ts'

/** A ruleset that has no problems. */
export function decoded(document: RulesetDocument): Ruleset {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

/** Values of each field of a small ruleset: every constant of `smallRuleset`, its neighbours, and one of each kind. */
export const SMALL_VALUES: Readonly<Record<string, readonly (Value | undefined)[]>> = {
  n: [undefined, null, true, 'DE', 0, 1, 1.5, 2, 3, 3.5, 4, 5, -1, [], { x: 1 }],
  m: [undefined, null, 'x', -2, 0, 2, 2.5, 3, 4, 9007199254740993n],
  t: [undefined, null, false, 3, '', 'DE', 'DEU', 'FR', 'a-fr', 'E', 'zz', ['DE'], ['x'], [], {}],
  b: [undefined, null, false, true, 1],
}

const decimal = (text: string): Value => numberOfText(text) ?? null

/** The same for rulesets that compute with decimals: with neighbours that no double shows. */
const DECIMAL_VALUES: typeof SMALL_VALUES = {
  ...SMALL_VALUES,
  n: [
    ...(SMALL_VALUES['n'] ?? []),
    0.1,
    decimal('0.3333333333333333333333333333333333'),
    decimal('1.999999999999999999999999999999999'),
    decimal('2.000000000000000000000000000000001'),
    decimal('1e-6176'),
  ],
  m: [...(SMALL_VALUES['m'] ?? []), decimal('-1e-6176'), decimal('2.999999999999999999999999999999999'), 7e307],
}

/** The values of the fields of a small ruleset. */
export function valuesOf({ config }: Ruleset): typeof SMALL_VALUES {
  return config.numbers === 'decimal' ? DECIMAL_VALUES : SMALL_VALUES
}

/** How many inputs `combination` counts. */
export function countOf(values: typeof SMALL_VALUES): number {
  return Object.values(values).reduce((product, { length }) => product * length, 1)
}

function atom(random: Random): string {
  const number = () => String(pick(random, [0, 1, 2, 3, 4, 1.5]))
  const compare = () => pick(random, ['<', '<=', '>', '>=', '==', '!='])
  const text = () => pick(random, ['"DE"', '"FR"', '"E"', '""'])
  return pick<() => string>(random, [
    () => `n ${compare()} ${number()}`,
    () => `n ${compare()} ${number()}`,
    () => `${number()} ${compare()} m`,
    () => `m ${compare()} n`,
    () => `n in [${number()}, ${number()}, null]`,
    () => `t == ${text()}`,
    () => `t ${compare()} ${text()}`,
    () => `t in [${text()}, ${text()}]`,
    () => `starts_with(t, ${text()})`,
    () => `ends_with(t, ${text()})`,
    () => `t contains ${text()}`,
    () => `${text()} in t`,
    () => pick(random, ['b', '!b', 'b == true', 'n', 't', 'm']),
    () => `is_null(${pick(random, ['n', 't', 'b'])})`,
    () => `exists(${pick(random, ['n', 't', 'b'])})`,
    () => `${pick(random, ['is_number', 'is_string', 'is_bool', 'is_array'])}(${pick(random, ['n', 't', 'b'])})`,
    () => `coalesce(n, ${number()}) ${compare()} ${number()}`,
    () => `n * 2 ${compare()} ${number()}`,
    () => `n + m ${compare()} ${number()}`,
    () => `n * m ${compare()} ${number()}`,
    () => `n % 2 == 0`,
    () => `10 / n > m`,
    () => `m / 3 ${compare()} ${number()}`,
    () => `n / m ${compare()} ${pick(random, ['1 / 3', number(), 'm'])}`,
    () => `n * 1.1 ${compare()} ${pick(random, ['1.65', '3.3', number()])}`,
    () => `n * 1.1 - m ${compare()} ${number()}`,
    () => `round(n) ${compare()} ${number()}`,
    () => `max(n, ${number()}) ${compare()} ${number()}`,
    () => `len(t) ${compare()} ${number()}`,
    () => `count(t) ${compare()} ${number()}`,
    () => `coalesce(n, ${number()}) * m ${compare()} ${number()}`,
    () => `pow(n, 2) + m ${compare()} ${number()}`,
    () => `lower(t) == "de"`,
    () => `substring(t, 0, 1) == ${pick(random, ['"D"', '""'])}`,
    () => `char_at(t, 1) == "E"`,
    () => `matches(t, ${pick(random, ['"^[D-F]+$"', '"^(DE|F.)$"', '"x?-"'])})`,
    () => `any(t, item => item == ${text()})`,
    () => `count(filter(t, item => item == "x")) ${compare()} ${number()}`,
    () => `n in t`,
    () => `type(n) == "number"`,
    () => `$v ${compare()} ${number()}`,
    () => `$v ${compare()} n / 3`,
    () => `exists($v)`,
  ])()
}

/** A condition of a few comparisons of four fields and a variable. */
function smallCondition(random: Random, depth = 2): string {
  if (depth === 0 || chance(random, 0.3)) return atom(random)
  const [left, right] = [smallCondition(random, depth - 1), smallCondition(random, depth - 1)]
  return pick(random, [`(${left} && ${right})`, `(${left} || ${right})`, `!(${left})`, `(${left} && ${right})`])
}

/** Some decisions in a row whose branches lead onward or to an end; variables are set on the way. */
export function smallRuleset(
  random: Random,
  kinds: readonly ('double' | 'decimal')[] = ['double', 'decimal'],
  most = 4,
): RulesetDocument {
  const count = inRange(random, 1, 3)
  const steps: [string, Value][] = []
  const target = (index: number) => {
    const later = Array.from({ length: count - index - 1 }, (_, offset) => `s${index + offset + 1}`)
    return pick(random, [...later, ...later, 'A', 'B', 'C'])
  }
  for (let index = 0; index < count; index++) {
    const branches = Array.from({ length: inRange(random, 1, most) }, (): Value => ({
      condition: smallCondition(random),
      next_step: target(index),
      ...(chance(random, 0.3)
        ? {
            actions: [
              {
                action: 'set_variable',
                name: 'v',
                value: pick(random, ['1', 'n', 'n + 1', 't', 'm * 2', 'n / 3', 'if b then 2 else n / 3', 'null']),
              },
            ],
          }
        : {}),
    }))
    const id = `s${index}`
    const rest = chance(random, 0.75) ? { default_next: target(index) } : {}
    steps.push([id, { id, type: 'decision', branches, ...rest }])
  }
  for (const code of ['A', 'B', 'C']) {
    const output = chance(random, 0.3) ? { output: [['o', pick(random, ['n', 'n + 1', '$v', 'm / 2'])]] } : {}
    steps.push([code, { id: code, type: 'terminal', result: { code, message: code, ...output } }])
  }
  const mode = pick(random, ['lenient', 'lenient', 'strict', 'default'])
  const config = {
    name: 'small',
    entry_step: 's0',
    field_missing: mode,
    numbers: pick(random, kinds),
    ...(mode === 'default' ? { defaults: { n: 2, t: 'FR' } } : {}),
  }
  return { config, steps: Object.fromEntries(steps) }
}

/** An input of the given values, by the number that counts all combinations. */
export function combination(number: number, values = SMALL_VALUES): { readonly [key: string]: Value } {
  const members: [string, Value][] = []
  let rest = number
  for (const [name, choices] of Object.entries(values)) {
    const value = choices[rest % choices.length]
    rest = Math.floor(rest / choices.length)
    if (value !== undefined) members.push([name, value])
  }
  return Object.fromEntries(members)
}

/** Why an execution contradicts a report; undefined when it agrees. */
export function contradiction(report: Report, trail: Trail): string | undefined {
  const { findings } = report
  const isProved = (place: string, ...kinds: readonly string[]) =>
    findings.some((one) => one.place === place && one.verdict === 'proved' && kinds.includes(one.kind))
  const isOpen = (place: string, kind: string) =>
    report.truncated || findings.some((one) => one.place === place && one.kind === kind && one.verdict !== 'proved')
  for (const key of trail.seen) {
    const [kind = '', step = '', branch = ''] = key.split(' ')
    const place = `/steps/${step}`
    const inBranch = `${place}/branches/${branch}`
    if (kind === 'step' && isProved(place, 'unreachable_step')) return key
    if (kind === 'taken' && isProved(inBranch, 'dead_branch', 'shadowed')) return key
    if (kind === 'taken' || kind === 'default') {
      const last = kind === 'taken' ? Number(branch) : Infinity
      const passed = findings.some((one) => {
        const [, , of = '', , index = ''] = one.place.split('/')
        return one.kind === 'always_true' && of === step && Number(index) < last
      })
      if (passed) return `${key} behind what is always true`
    }
    if (
      kind === 'code' &&
      findings.some((one) => one.kind === 'unreachable_code' && one.verdict === 'proved' && one.code === step)
    )
      return key
    if (kind === 'gap' && !isOpen(place, 'gap')) return key
    if (kind === 'fails') {
      const where = branch === 'result' || branch === 'step' ? place : inBranch
      if (!isOpen(where, 'can_fail')) return key
    }
  }
  return undefined
}

/** The answers of external calls that a witness has. */
function answersOf({ stubs }: Witness): RecordedAnswers {
  return new RecordedAnswers(stubs ?? [])
}

/** Whether the witness of each finding demonstrates the finding. */
export function unshown(report: Report, ruleset: Ruleset): string | undefined {
  const follower = new Follower(ruleset)
  for (const one of report.findings) {
    if (one.verdict !== 'refuted') continue
    if (one.witness === undefined) return `${one.kind} at ${one.place} without a witness`
    const { seen, side } = follower.follow(one.witness.input, one.witness.now, undefined, answersOf(one.witness))
    const step = one.place.split('/')[2] ?? ''
    const isShown =
      one.kind === 'gap'
        ? seen.includes(claims.gap(step))
        : one.kind === 'can_fail'
          ? side !== undefined && 'error' in side && side.error.code === one.error && side.error.step === step
          : seen.includes('max-depth')
    if (!isShown) return `${one.kind} at ${one.place} is not shown by ${inspect(one.witness.input, { depth: null })}`
  }
  return undefined
}
