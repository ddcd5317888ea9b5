import {
  analyze,
  type Certificate,
  certify,
  type Claim,
  claimsOfImpact,
  claimsOfReport,
  diff,
  impact,
  verifyCertificate,
} from '@engine/analysis'
import { stringifyJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { areSame, claims, Follower } from '../../packages/analysis/src/witness/trail.ts'
import { pick, type Random, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset, rewrittenRuleset } from './pairs.testing.ts'
import { combination, countOf, decoded, smallRuleset, valuesOf } from './soundness.testing.ts'

const FOLDER = join(import.meta.dirname, '../../packages/analysis/src/certificate')

const asValue = (certificate: Certificate): Value => certificate as unknown as Value

function table(
  conditions: readonly string[],
  rest = true,
  config: { readonly [key: string]: Value } = {},
): RulesetDocument {
  const codes = ['A', 'B', 'C']
  const branches = conditions.map((condition, index) => ({ condition, next_step: codes[index % 2] ?? '' }))
  return {
    config: { name: 'table', entry_step: 'd', ...config },
    steps: {
      d: { id: 'd', type: 'decision', branches, ...(rest ? { default_next: 'C' } : {}) },
      ...Object.fromEntries(codes.map((id) => [id, { id, type: 'terminal', result: { code: id, message: '' } }])),
    },
  }
}

const claimsIn = (document: RulesetDocument) => {
  const { certificate, uncertified } = certify([document], claimsOfReport(analyze(decoded(document))))
  return { certificate, uncertified, checked: verifyCertificate(asValue(certificate), [document]) }
}

test('the checker has at most 250 lines, and no code of the search', () => {
  const lines = readFileSync(join(FOLDER, 'checker.ts'), 'utf8').split('\n')
  expect(lines.length).toBeLessThanOrEqual(250)
  for (const file of ['checker.ts', 'classes.ts', 'graph-walk.ts', 'claim.ts']) {
    const imports = [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path]) => path)
    for (const path of imports) expect(path).not.toMatch(/search|witness|encoder|symbolic|covers|analyze|diff/)
  }
})

test.each([
  ['a contradiction', ['n > 5 && n < 3'], 'dead_branch'],
  ['a contradiction of texts', ['starts_with(t, "ab") && t < "aa"'], 'dead_branch'],
  ['a contradiction of an opaque part', ['matches(t, "x") && !matches(t, "x")'], 'dead_branch'],
  ['shadowed by a union', ['n < 5', 'n >= 5 && n < 9', 'n > 3 && n < 8'], 'shadowed'],
  ['shadowed by texts', ['starts_with(t, "g")', 't == "gold" && n > 1'], 'shadowed'],
  ['always true', ['n > 1 || n <= 1 || true', 'n == 2'], 'always_true'],
] as const)('certifies %s', (_name, conditions, kind) => {
  const { checked, uncertified } = claimsIn(table(conditions))
  expect(uncertified).toEqual([])
  expect(checked).toContainEqual(expect.objectContaining({ kind }))
})

test('an enforced contract narrows the classes', () => {
  const fields = [{ name: 'n', type: 'integer', required: true, minimum: 1 }]
  const contract = (mode: string) => ({
    contract: { mode, contract: { name: 'c', version: '1.0.0', input: { fields } } },
  })
  const claim: Claim = { kind: 'dead_branch', place: '/steps/d/branches/0' }
  const certified = (mode: string) =>
    certify([table(['n < 1'], true, contract(mode))], [{ claim }]).certificate.proofs.length
  expect([certified('enforce'), certified('warn')]).toEqual([1, 0])
})

test.each([
  ['the same contract', 'enforce', 'number', 1],
  ['a contract whose concept has another field', 'enforce', 'string', 0],
  ['a contract that only warns', 'warn', 'string', 1],
])('versions with %s', (_name, mode, type, proofs) => {
  const version = (amount: string) => {
    const concepts = [{ name: 'order', fields: [{ name: 'amount', type: amount }] }]
    const input = { fields: [{ name: 'o', type: 'concept:order', required: true }] }
    return table(['n < 1'], true, { contract: { mode, contract: { name: 'c', version: '1.0.0', input, concepts } } })
  }
  const found = certify([version('number'), version(type)], [{ claim: { kind: 'equivalent' } }])
  expect(found.certificate.proofs).toHaveLength(proofs)
})

const RULESETS = casesOf(120, 3)

test(`no input contradicts a certificate of ${RULESETS} small rulesets`, { timeout: limitOf(RULESETS, 8000) }, () => {
  printSeed(RULESETS)
  const random = seededRandom(SEED)
  const counts = { proved: 0, certified: 0, tried: 0, found: 0 }
  for (let count = 0; count < RULESETS; count++) {
    const document = smallRuleset(random)
    const ruleset = decoded(document)
    const proved = claimsOfReport(analyze(ruleset))
    const certified = certify([document], proved)
    counts.proved += proved.length
    counts.certified += certified.certificate.proofs.length
    expect(verifyCertificate(asValue(certified.certificate), [document])).toHaveLength(
      certified.certificate.proofs.length,
    )
    // Some of these claims are wrong: the checker accepts no cover of them.
    const guessed = [...ruleset.steps.values()].flatMap((step) =>
      step.type === 'decision'
        ? step.branches.map((_branch, index) => ({
            key: claims.taken(step.id, index),
            place: `/steps/${step.id}/branches/${index}`,
          }))
        : [],
    )
    const seen = new Set<string>()
    const follower = new Follower(ruleset)
    const values = valuesOf(ruleset)
    for (let index = 0; index < 300; index++)
      for (const key of follower.follow(combination(Math.floor(random() * countOf(values)), values)).seen) seen.add(key)
    for (const { key, place } of guessed) {
      counts.tried++
      const found = certify([document], [{ claim: { kind: 'dead_branch', place } }]).certificate.proofs.length > 0
      if (found) counts.found++
      if (found && seen.has(key))
        expect.fail(`certified although an input takes it: ${place} in ${stringifyJson(document)}`)
    }
  }
  console.log(counts)
  if (RULESETS >= 40) expect(counts.certified).toBeGreaterThan(counts.proved * 0.4)
})

const PAIRS = casesOf(100, 5)

test(`no input contradicts the certificates of ${PAIRS} pairs`, { timeout: limitOf(PAIRS, 8000) }, () => {
  printSeed(PAIRS)
  const random = seededRandom(SEED)
  const counts = { equivalent: 0, certified: 0, oneWay: 0 }
  for (let count = 0; count < PAIRS; count++) {
    const before = smallRuleset(random)
    const after = count % 2 === 0 ? rewrittenRuleset(random, before) : mutatedRuleset(random, before)
    const found = impact(decoded(before), decoded(after), { forbid: [{ from: 'A', to: 'B' }], budget: 3_000_000 })
    const { certificate } = certify([before, after], [...claimsOfImpact(found), { claim: { kind: 'equivalent' } }])
    const checked = verifyCertificate(asValue(certificate), [before, after])
    expect(checked).toHaveLength(certificate.proofs.length)
    const kinds = new Set((checked as readonly Claim[]).map(({ kind }) => kind))
    if (found.diff.verdict === 'equivalent') counts.equivalent++
    if (kinds.has('equivalent')) counts.certified++
    counts.oneWay += kinds.size
    const [old, young] = [before, after].map((one) => new Follower(decoded(one)))
    const values = valuesOf(decoded(before))
    for (let index = 0; index < 200; index++) {
      const input = combination(Math.floor(random() * countOf(values)), values)
      const [one, other] = [old?.follow(input).side, young?.follow(input).side]
      if (one === undefined || other === undefined || areSame(one, other)) continue
      const about = stringifyJson({ input, before, after })
      if (kinds.has('equivalent')) expect.fail(`certified as equivalent: ${about}`)
      if (kinds.has('only_adds') && !('error' in one)) expect.fail(`certified to only add: ${about}`)
      if (kinds.has('only_removes') && !('error' in other)) expect.fail(`certified to only remove: ${about}`)
      if (kinds.has('no_new_failure') && !('error' in one) && 'error' in other) expect.fail(`fails now: ${about}`)
      const isForbidden = !('error' in one) && !('error' in other) && one.code === 'A' && other.code === 'B'
      if (kinds.has('forbid') && isForbidden) expect.fail(`certified not to become B: ${about}`)
    }
  }
  console.log(counts)
  if (PAIRS >= 100) expect(counts.certified).toBeGreaterThan(counts.equivalent * 0.5)
})

test.each([
  ['a digit that no double shows', 'n > 1 && n < 1.000000000000000000000000000000001'],
  ['a number between two decimals that are neighbours', 'n > 0 && n < 1e-6176'],
  ['a decimal in a list', 'n in [0.1, 0.30] && n == 0.2'],
])('certifies a contradiction of decimals: %s', (_name, condition) => {
  const document = { ...table([condition]), config: { name: 'table', entry_step: 'd', numbers: 'decimal' } }
  const { certificate, uncertified } = certify([document], claimsOfReport(analyze(decoded(document))))
  expect(uncertified).toEqual([])
  expect(certificate.proofs.map(({ claim }) => claim.kind)).toContain('dead_branch')
  expect(verifyCertificate(asValue(certificate), [document])).toHaveLength(certificate.proofs.length)
})

test('a certificate of doubles proves nothing of decimals', () => {
  const doubles = table(['n > 1 && n < 1.0000000000000000001'])
  const decimals = { ...doubles, config: { name: 'table', entry_step: 'd', numbers: 'decimal' } }
  const claim = { claim: { kind: 'dead_branch', place: '/steps/d/branches/0' } } as const
  expect(certify([doubles], [claim]).certificate.proofs).toHaveLength(1)
  expect(certify([decimals], [claim]).certificate.proofs).toEqual([])
  const { uncertified } = certify([doubles, decimals], [{ claim: { kind: 'equivalent' } }])
  expect(uncertified).toHaveLength(1)
})

test('one comparison of a large table: the unchanged rows need no cover', () => {
  const rows = Array.from({ length: 300 }, (_, index) => `z == "Z${index % 9}" && n >= ${index} && n < ${index + 1}`)
  const before = table(rows)
  const after = table(rows.with(150, rows[150]?.replace('&& n <', '&& !(n >=').concat(')') ?? ''))
  expect(diff(decoded(before), decoded(after)).verdict).toBe('equivalent')
  const { certificate, uncertified } = certify([before, after], [{ claim: { kind: 'equivalent' } }])
  expect(uncertified).toEqual([])
  expect(stringifyJson(asValue(certificate)).length).toBeLessThan(10_000)
})

/** Changes of a certificate after which it proves nothing. */
const CORRUPTIONS: Readonly<Record<string, (random: Random, certificate: Certificate) => Value>> = {
  'a class is left out': (random, certificate) =>
    withCover(certificate, random, (cover) => {
      const [split, ...parts] = cover
      const chosen = pick(random, parts.keys().toArray())
      return [split as Value, ...parts.flatMap((part, index) => (index === chosen ? without(part) : [part]))]
    }),
  'a split is left out': (random, certificate) => withCover(certificate, random, () => 0),
  'another digest': (_random, certificate) => ({
    ...(asValue(certificate) as object),
    rulesets: certificate.rulesets.map(({ name, digest }) => ({
      name,
      digest: digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    })),
  }),
  'another name': (_random, certificate) => ({
    ...(asValue(certificate) as object),
    rulesets: certificate.rulesets.map(({ digest }) => ({ name: 'other', digest })),
  }),
  'another place': (_random, certificate) =>
    withClaim(certificate, { kind: 'dead_branch', place: '/steps/d/branches/0' }),
  'a place that does not exist': (_random, certificate) =>
    withClaim(certificate, { kind: 'dead_branch', place: '/steps/d/branches/99' }),
  'another kind': (_random, certificate) => withClaim(certificate, { kind: 'equivalent' }),
  'no cover': (_random, certificate) => ({
    ...(asValue(certificate) as object),
    proofs: certificate.proofs.map(({ claim }) => ({ claim })) as unknown as Value,
  }),
  'another format': (_random, certificate) => ({ ...(asValue(certificate) as object), format: 'engine-certificate/2' }),
}

function withClaim(certificate: Certificate, claim: Claim): Value {
  const proofs = certificate.proofs.map(({ cover }) => ({ claim, cover })) as unknown as Value
  return { ...(asValue(certificate) as object), proofs }
}

/** The certificate with one split of its first proof changed. */
function withCover(certificate: Certificate, random: Random, change: (cover: readonly Value[]) => Value): Value {
  const descend = (cover: Value): Value => {
    const [split, ...parts] = cover as readonly Value[]
    const inner = parts.flatMap((part, index) => ((part as readonly Value[])[1] === 0 ? [] : [index]))
    if (inner.length === 0 || random() < 0.4) return change(cover as readonly Value[])
    const chosen = pick(random, inner)
    return [
      split as Value,
      ...parts.map((part, index) =>
        index === chosen
          ? [(part as readonly Value[])[0] as Value, descend((part as readonly Value[])[1] as Value)]
          : part,
      ),
    ]
  }
  const proofs = certificate.proofs.map(({ claim, cover }) => ({ claim, cover: descend(cover as unknown as Value) }))
  return { ...(asValue(certificate) as object), proofs: proofs as unknown as Value }
}

/** A part without its last number; nothing when that was its only one. */
function without(part: Value): readonly Value[] {
  const [ranges, cover] = part as readonly [readonly number[], Value]
  const [low = 0, high = 0] = ranges.slice(-2)
  const rest = [...ranges.slice(0, -2), ...(low < high ? [low, high - 1] : [])]
  return rest.length === 0 ? [] : [[rest, cover]]
}

test('1,000 corrupted certificates are refused', () => {
  printSeed(1000)
  const random = seededRandom(SEED)
  const kinds = Object.keys(CORRUPTIONS)
  let count = 0
  while (count < 1000) {
    const low = 1 + Math.floor(random() * 50)
    const condition = pick(random, [
      `amount > ${low} && amount < ${low}`,
      `tier == "gold" && tier < "e" && amount > 1`,
      `amount >= 1 && amount < ${low} && vip`,
    ])
    const document = table([`amount >= 1 && amount < ${low + 2}`, condition, 'vip'])
    const claim: Claim = { kind: 'dead_branch', place: '/steps/d/branches/1' }
    const near = ['/steps/d/branches/0']
    const { certificate, uncertified } = certify([document], [{ claim, near }])
    expect(uncertified).toEqual([])
    expect(verifyCertificate(asValue(certificate), [document])).toEqual([claim])
    for (const kind of kinds) {
      const corrupted = CORRUPTIONS[kind]?.(random, certificate) ?? null
      if (typeof verifyCertificate(corrupted, [document]) !== 'string')
        expect.fail(`${kind} is accepted: ${stringifyJson(corrupted)} of ${stringifyJson(document)}`)
      count++
    }
  }
}, 600_000)
