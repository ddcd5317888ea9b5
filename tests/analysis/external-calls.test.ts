import { analyze, certify, type Claim, claimsOfReport, diff, verifyCertificate } from '@engine/analysis'
import { stringifyJson, type Value } from '@engine/expression'
import { isFields, type Ruleset, type RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { RecordedAnswers } from '../../packages/analysis/src/witness/recorded-calls.ts'
import { isSameJson } from '../../packages/analysis/src/witness/same-json.ts'
import { type Answers } from '../../packages/analysis/src/witness/stubs.ts'
import { areSame, claims, Follower } from '../../packages/analysis/src/witness/trail.ts'
import { chance, pick, type Random, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset, rewrittenRuleset } from './pairs.testing.ts'
import { combination, contradiction, countOf, decoded, smallRuleset, unshown, valuesOf } from './soundness.testing.ts'

/** A call whose answer becomes `$v`, which conditions of small rulesets read. */
function calling(random: Random): readonly Value[] {
  const params = pick<Value>(random, [[], [], [['k', '1']], [['k', 'n']], [['k', '$v']], [['k', 'm']]])
  const method = pick(random, ['get', 'get', 'rate'])
  const part = pick(random, ['$x.payload', '$x.payload', '$x.payload.n', '$x.metadata.n', '$x'])
  return [
    { action: 'external_call', service: 's', method, params, result_variable: 'x' },
    { action: 'set_variable', name: 'v', value: part },
  ]
}

/** A small ruleset with external calls at its start and in some branches. */
function askingRuleset(random: Random, isLooping = false): RulesetDocument {
  const { config, steps } = smallRuleset(random)
  if (!isFields(config) || !isFields(steps)) throw new Error('not a ruleset')
  const changed = Object.entries(steps).map(([id, step]): [string, Value] => {
    if (!isFields(step) || !Array.isArray(step['branches'])) return [id, step]
    const branches = (step['branches'] as readonly { readonly [key: string]: Value }[]).map((branch) => {
      const next = isLooping && chance(random, 0.2) ? { next_step: 'ask' } : {}
      return chance(random, 0.3) ? { ...branch, ...next, actions: [...calling(random)] } : { ...branch, ...next }
    })
    return [id, { ...step, branches }]
  })
  const ask = { id: 'ask', type: 'action', actions: [...calling(random)], next_step: config['entry_step'] ?? '' }
  const limit = isLooping ? { max_depth: 9 } : {}
  return { config: { ...config, ...limit, entry_step: 'ask' }, steps: { ask, ...Object.fromEntries(changed) } }
}

const PAYLOADS: readonly Value[] = [null, 0, 1, 2, 3, 1.5, 4, 'DE', '', true, {}, { n: 2 }, { n: null }, [], -1, 'text']

/** Random answers: the n-th call with the same parameters has the same answer in each execution. Some calls fail. */
function services(random: Random): { begin: () => Answers } {
  const known: { readonly call: readonly [string, string, Value]; readonly answers: (Value | undefined)[] }[] = []
  return {
    begin: () => {
      const counts = new Map<object, number>()
      return {
        take(service, method, parameters) {
          const call = [service, method, parameters] as const
          let one = known.find((other) => isSameJson([...other.call], [...call]))
          if (one === undefined) known.push((one = { call, answers: [] }))
          const count = counts.get(one) ?? 0
          counts.set(one, count + 1)
          while (one.answers.length <= count) one.answers.push(chance(random, 0.1) ? undefined : pick(random, PAYLOADS))
          const payload = one.answers[count]
          const asked = { service, method, parameters }
          return payload === undefined ? asked : { ...asked, answer: { payload, metadata: { n: 2 } } }
        },
      }
    },
  }
}

const RULESETS = casesOf(300)

test.each([
  ['without loops', false],
  ['with loops', true],
])(
  `no answer contradicts the proofs about ${RULESETS} rulesets that ask services, %s`,
  { timeout: limitOf(RULESETS, 6000) },
  (_name, isLooping) => {
    printSeed(RULESETS)
    const random = seededRandom(SEED)
    const questions = { proved: 0, refuted: 0, unknown: 0 }
    for (let count = 0; count < RULESETS; count++) {
      const document = askingRuleset(random, isLooping)
      const ruleset = decoded(document)
      const report = analyze(ruleset, { budget: 3_000_000 })
      for (const verdict of ['proved', 'refuted', 'unknown'] as const) questions[verdict] += report.questions[verdict]
      expect(unshown(report, ruleset), stringifyJson(document)).toBeUndefined()
      const follower = new Follower(ruleset)
      const values = valuesOf(ruleset)
      for (let index = 0; index < 300; index++) {
        const input = combination(Math.floor(random() * countOf(values)), values)
        const found = contradiction(report, follower.follow(input, 0, undefined, services(random).begin()))
        if (found !== undefined) expect.fail(`${found}: ${stringifyJson(input)} in ${stringifyJson(document)}`)
      }
    }
    console.log(questions)
    expect(questions.proved).toBeGreaterThan(RULESETS / 2)
  },
)

const PAIRS = casesOf(200)

/** The same ruleset with other calls: one is removed, repeated, or has other parameters. */
function otherCalls(random: Random, document: RulesetDocument): RulesetDocument {
  const steps = isFields(document['steps']) ? document['steps'] : {}
  const changed = (actions: Value): Value => {
    if (!Array.isArray(actions) || chance(random, 0.5)) return actions
    const [call, ...rest] = actions as readonly { readonly [key: string]: Value }[]
    if (call?.['action'] !== 'external_call') return actions
    return pick<() => Value>(random, [
      () => [call, { ...call, result_variable: 'y' }, ...rest],
      () => [{ ...call, result_variable: 'y' }, call, ...rest],
      () => [{ ...call, params: [['k', pick(random, ['1', 'n', '2'])]] }, ...rest],
      () => [{ ...call, params: [['k', '2']], result_variable: 'y' }, call, ...rest],
      () => rest.filter(({ action }) => action !== 'set_variable'),
    ])()
  }
  const all = Object.entries(steps).map(([id, step]): [string, Value] => {
    if (!isFields(step)) return [id, step]
    const branches = (Array.isArray(step['branches']) ? step['branches'] : []) as readonly { [key: string]: Value }[]
    const own = step['actions'] === undefined ? {} : { actions: changed(step['actions']) }
    const inner = branches.map((one) =>
      one['actions'] === undefined ? one : { ...one, actions: changed(one['actions']) },
    )
    return [id, { ...step, ...own, ...(branches.length > 0 && { branches: inner }) }]
  })
  return { ...document, steps: Object.fromEntries(all) }
}

test.each([
  ['rewritten to an equal form', rewrittenRuleset],
  ['mutated in one place', mutatedRuleset],
  ['with other calls', otherCalls],
] as const)(
  `no answer contradicts the verdicts about ${PAIRS} pairs %s`,
  { timeout: limitOf(PAIRS, 8000) },
  (name, change) => {
    printSeed(PAIRS)
    const random = seededRandom(SEED)
    const verdicts = { equivalent: 0, different: 0, unknown: 0 }
    for (let count = 0; count < PAIRS; count++) {
      const before = askingRuleset(random, chance(random, 0.2))
      const after = change(random, before)
      const versions = [decoded(before), decoded(after)] as const
      const found = diff(...versions, { budget: 3_000_000 })
      verdicts[found.verdict]++
      const kinds = (['only_adds', 'only_removes', 'no_new_failure'] as const).filter(
        (kind) => found[kind] === 'proved',
      )
      const proved: Claim[] = kinds.map((kind) => ({ kind }))
      if (found.verdict === 'equivalent') proved.push({ kind: 'equivalent' })
      // Some of these are wrong: the checker accepts no cover of them.
      const tried: readonly Claim[] = [{ kind: 'equivalent' }, { kind: 'no_new_failure' }]
      const { certificate } = certify(
        [before, after],
        tried.map((claim) => ({ claim })),
      )
      proved.push(...certificate.proofs.map(({ claim }) => claim))
      const wrong = contradicted(proved, versions, random)
      if (wrong !== undefined) expect.fail(`${wrong}: ${stringifyJson({ before, after })}`)
      for (const { witness, before: old, after: young } of found.regions)
        for (const [index, side] of [old, young].entries()) {
          const answers = new RecordedAnswers(witness.stubs ?? [])
          const shown = new Follower(versions[index] as Ruleset).follow(
            witness.input,
            witness.now,
            undefined,
            answers,
          ).side
          if (shown === undefined || !areSame(shown, side))
            expect.fail(`a witness shows something else: ${stringifyJson({ before, after })}`)
        }
    }
    console.log(name, verdicts)
    if (name.startsWith('rewritten')) expect(verdicts.different).toBe(0)
    else if (PAIRS >= 20) expect(verdicts.different).toBeGreaterThan(0)
  },
)

function contradicted(
  proved: readonly Claim[],
  [before, after]: readonly [Ruleset, Ruleset],
  random: Random,
): string | undefined {
  const [old, young] = [new Follower(before), new Follower(after)]
  const values = valuesOf(before)
  for (let index = 0; index < 300; index++) {
    const input = combination(Math.floor(random() * countOf(values)), values)
    const outside = services(random)
    const [first, second] = [old, young].map((one) => one.follow(input, 0, undefined, outside.begin()).side)
    if (first === undefined || second === undefined || areSame(first, second)) continue
    for (const { kind } of proved) {
      const isWrong =
        kind === 'equivalent' ||
        (kind === 'only_adds' && !('error' in first)) ||
        (kind === 'only_removes' && !('error' in second)) ||
        (kind === 'no_new_failure' && !('error' in first) && 'error' in second)
      if (isWrong) return `${kind}, but ${stringifyJson(input)} gives ${JSON.stringify([first, second])}`
    }
  }
  return undefined
}

const CERTIFIED = casesOf(120, 4)

test(
  `no answer contradicts a certificate of ${CERTIFIED} rulesets that ask services`,
  { timeout: limitOf(CERTIFIED, 8000) },
  () => {
    printSeed(CERTIFIED)
    const random = seededRandom(SEED)
    const counts = { proved: 0, certified: 0, found: 0 }
    for (let count = 0; count < CERTIFIED; count++) {
      const document = askingRuleset(random)
      const ruleset = decoded(document)
      const proved = claimsOfReport(analyze(ruleset, { budget: 3_000_000 }))
      const certified = certify([document], proved)
      counts.proved += proved.length
      counts.certified += certified.certificate.proofs.length
      expect(verifyCertificate(certified.certificate as unknown as Value, [document])).toHaveLength(
        certified.certificate.proofs.length,
      )
      const follower = new Follower(ruleset)
      const values = valuesOf(ruleset)
      const seen = new Set<string>()
      for (let index = 0; index < 300; index++) {
        const input = combination(Math.floor(random() * countOf(values)), values)
        for (const key of follower.follow(input, 0, undefined, services(random).begin()).seen) seen.add(key)
      }
      for (const step of ruleset.steps.values())
        for (const index of step.type === 'decision' ? step.branches.keys() : []) {
          const claim = { kind: 'dead_branch', place: `/steps/${step.id}/branches/${index}` } as const
          if (certify([document], [{ claim }]).certificate.proofs.length === 0) continue
          counts.found++
          if (seen.has(claims.taken(step.id, index)))
            expect.fail(`certified although taken: ${claim.place} in ${stringifyJson(document)}`)
        }
    }
    console.log(counts)
    expect(counts.certified).toBeGreaterThan(0)
  },
)
