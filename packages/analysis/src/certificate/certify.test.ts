import { stringifyJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { createHash } from 'node:crypto'
import { sortedText } from '../terms/term.ts'
import type { Impact } from '../impact.ts'
import type { Report } from '../verdict.ts'
import { certify, claimsOfImpact, claimsOfReport, verifyCertificate } from './certify.ts'
import type { Claim } from './claim.ts'
import { decisionOf } from './rulesets.testing.ts'

const PLACE = '/steps/d/branches/1'
const DEAD: Claim = { kind: 'dead_branch', place: PLACE }
const ONE = decisionOf(['n > 1', 'n > 2'])
const OTHER = decisionOf(['n > 1', 'n > 1 && n > 2'])

type Members = { readonly [key: string]: Value }

/** A certificate of claims as JSON. */
function certified(documents: readonly RulesetDocument[], claims: readonly Claim[]): Members {
  const { certificate, uncertified } = certify(
    documents,
    claims.map((claim) => ({ claim })),
  )
  expect(uncertified).toEqual([])
  return certificate as unknown as Members
}

const SINGLE = certified([ONE], [DEAD])
const PAIR = certified([ONE, OTHER], [{ kind: 'equivalent' }])
const [PROOF] = SINGLE['proofs'] as readonly Members[]
const withProof = (change: Members) => ({ ...SINGLE, proofs: [{ ...PROOF, ...change }] })
const NO_PROOF = 'a proof has a `claim` and a `cover`'
const ABOUT_NOTHING = 'a claim is about a place or a code that the ruleset does not have'
const NO_CERTIFICATE = 'not a certificate: `format` must be "engine-certificate/1"'
const OTHER_RULESETS = 'the certificate is about other rulesets: the names or digests differ'
const COUNT = 'a certificate is checked against one ruleset, or the old one and the new one'

test.each<[title: string, certificate: Value, documents: readonly RulesetDocument[], found: unknown]>([
  ['one ruleset', SINGLE, [ONE], [DEAD]],
  ['two versions', PAIR, [ONE, OTHER], [{ kind: 'equivalent' }]],
  [
    'a document with its members in another order',
    SINGLE,
    [{ steps: ONE['steps'] ?? null, config: ONE['config'] ?? null }],
    [DEAD],
  ],
  ['a signed document', SINGLE, [{ ...ONE, _signature: 'x' }], [DEAD]],
  ['no proof', { ...SINGLE, proofs: [] }, [ONE], []],
  ['no certificate', null, [ONE], NO_CERTIFICATE],
  ['a list', [], [ONE], NO_CERTIFICATE],
  ['another format', { ...SINGLE, format: 'engine-certificate/2' }, [ONE], NO_CERTIFICATE],
  ['another ruleset', SINGLE, [OTHER], OTHER_RULESETS],
  ['another name', { ...SINGLE, rulesets: [{ name: 'other', digest: 'x' }] }, [ONE], OTHER_RULESETS],
  ['no names', { format: 'engine-certificate/1', proofs: [] }, [ONE], OTHER_RULESETS],
  ['the versions in the other order', PAIR, [OTHER, ONE], OTHER_RULESETS],
  ['one version of two', PAIR, [ONE], OTHER_RULESETS],
  ['no document', SINGLE, [], COUNT],
  ['three documents', PAIR, [ONE, OTHER, ONE], COUNT],
  ['a document that is no ruleset', SINGLE, [{ config: {} }], COUNT],
  ['a second document that is no ruleset', SINGLE, [ONE, { config: {} }], COUNT],
  ['proofs that are no list', { ...SINGLE, proofs: {} }, [ONE], '`proofs` must be a list'],
  ['a proof that is no object', { ...SINGLE, proofs: [1] }, [ONE], NO_PROOF],
  ['a proof without a claim', { ...SINGLE, proofs: [{ cover: 0 }] }, [ONE], NO_PROOF],
  ['a proof without a cover', { ...SINGLE, proofs: [{ claim: PROOF?.['claim'] ?? null }] }, [ONE], 'not a cover'],
  ['a claim that is no object', withProof({ claim: 'dead_branch' }), [ONE], NO_PROOF],
  ['a claim without a kind', withProof({ claim: { place: PLACE } }), [ONE], NO_PROOF],
  ['a claim of another kind', withProof({ claim: { kind: 'other', place: PLACE } }), [ONE], NO_PROOF],
  ['a claim without its place', withProof({ claim: { kind: 'dead_branch' } }), [ONE], NO_PROOF],
  ['a claim without its code', withProof({ claim: { kind: 'unreachable_code', place: PLACE } }), [ONE], NO_PROOF],
  ['a claim without the first code', withProof({ claim: { kind: 'forbid', to: 'A' } }), [ONE], NO_PROOF],
  ['a claim without the second code', withProof({ claim: { kind: 'forbid', from: 'A' } }), [ONE], NO_PROOF],
  ['a cover that decides nothing', withProof({ cover: 0 }), [ONE], 'a part of the cover does not decide the claim'],
  [
    'a branch that does not exist',
    withProof({ claim: { kind: 'dead_branch', place: '/steps/d/branches/2' } }),
    [ONE],
    ABOUT_NOTHING,
  ],
  [
    'a step that is no decision',
    withProof({ claim: { kind: 'dead_branch', place: '/steps/A/branches/0' } }),
    [ONE],
    ABOUT_NOTHING,
  ],
  ['a branch as a step', withProof({ claim: { kind: 'unreachable_step', place: PLACE } }), [ONE], ABOUT_NOTHING],
  ['a gap where there is a default', withProof({ claim: { kind: 'gap', place: '/steps/d' } }), [ONE], ABOUT_NOTHING],
  ['a code that does not exist', withProof({ claim: { kind: 'unreachable_code', code: 'X' } }), [ONE], ABOUT_NOTHING],
  ['a claim about two versions', withProof({ claim: { kind: 'equivalent' } }), [ONE], '`equivalent` needs two'],
])('a certificate checked with %s', (_title, certificate, documents, found) => {
  expect(verifyCertificate(certificate, documents)).toEqual(found)
})

test.each<[claim: Claim, documents: readonly RulesetDocument[]]>([
  [{ kind: 'shadowed', place: PLACE }, [ONE]],
  [{ kind: 'always_true', place: '/steps/d/branches/0' }, [decisionOf(['true'])]],
  [{ kind: 'unreachable_step', place: '/steps/C' }, [decisionOf(['true'])]],
  [{ kind: 'gap', place: '/steps/d' }, [decisionOf(['true'], { rest: null })]],
  [{ kind: 'unreachable_code', code: 'C' }, [decisionOf(['true'])]],
  [{ kind: 'no_new_failure' }, [ONE, OTHER]],
  [{ kind: 'only_adds' }, [ONE, OTHER]],
  [{ kind: 'only_removes' }, [ONE, OTHER]],
  [{ kind: 'forbid', from: 'A', to: '*' }, [ONE, OTHER]],
])('the claim %j is certified and checked', (claim, documents) => {
  expect(verifyCertificate(certified(documents, [claim]), documents)).toEqual([claim])
})

test('a cover that is nested too deeply is refused', () => {
  let cover: Value = 0
  for (let depth = 0; depth < 50_000; depth++) cover = ['?x', [[0, 2], cover]]
  expect(verifyCertificate(withProof({ cover }), [ONE])).toBe('the certificate or the rules are nested too deeply')
})

test('a certificate names its rulesets by their digests', () => {
  const digest = `sha256:${createHash('sha256').update(sortedText(ONE)).digest('hex')}`
  expect(SINGLE['rulesets']).toEqual([{ name: 'decision', digest }])
  expect(certified([{ ...ONE, _signature: 'x' }], [])['rulesets']).toEqual(SINGLE['rulesets'])
  expect(PAIR['rulesets']).toHaveLength(2)
})

test('claims without a proof are named with the reason', () => {
  const claims = [DEAD, { kind: 'dead_branch', place: '/steps/d/branches/0' } as const]
  const { certificate, uncertified } = certify(
    [ONE],
    claims.map((claim) => ({ claim })),
  )
  expect(certificate.proofs.map(({ claim }) => claim)).toEqual([DEAD])
  expect(uncertified).toEqual([
    { claim: claims[1], reason: 'classes of values and single conditions do not decide it' },
  ])
})

test('versions that no checker compares have no proof', () => {
  const strict = decisionOf(['n > 1'], { config: { field_missing: 'strict' } })
  const { certificate, uncertified } = certify([ONE, strict], [{ claim: { kind: 'equivalent' } }])
  expect(certificate.proofs).toEqual([])
  expect(uncertified).toEqual([{ claim: { kind: 'equivalent' }, reason: 'the `config` of the versions differs' }])
})

test('a document that is no ruleset has no certificate', () => {
  expect(() => certify([{ config: {} }], [])).toThrow('a document is no ruleset')
})

test('the claims of a report are its proved findings', () => {
  const finding = (kind: string, verdict: string, more = {}) => ({ kind, verdict, place: '/p', message: '', ...more })
  const findings = [
    finding('dead_branch', 'proved', { by: ['/q'] }),
    finding('shadowed', 'proved'),
    finding('always_true', 'proved'),
    finding('unreachable_step', 'proved'),
    finding('unreachable_code', 'proved', { code: 'X' }),
    finding('dead_branch', 'unknown'),
    finding('gap', 'refuted'),
    finding('can_fail', 'proved'),
  ]
  expect(claimsOfReport({ findings } as unknown as Report)).toEqual([
    { claim: { kind: 'dead_branch', place: '/p' }, near: ['/q'] },
    { claim: { kind: 'shadowed', place: '/p' }, near: [] },
    { claim: { kind: 'always_true', place: '/p' }, near: [] },
    { claim: { kind: 'unreachable_step', place: '/p' }, near: [] },
    { claim: { kind: 'unreachable_code', code: 'X' } },
  ])
})

test.each<[diff: Members, gates: readonly Members[], claims: readonly Claim[]]>([
  [{ verdict: 'equivalent' }, [], [{ kind: 'equivalent' }]],
  [{ verdict: 'different' }, [], []],
  [{ verdict: 'unknown', only_adds: 'proved', only_removes: 'refuted' }, [], [{ kind: 'only_adds' }]],
  [{ verdict: 'unknown', only_removes: 'proved' }, [], [{ kind: 'only_removes' }]],
  [{ verdict: 'unknown', no_new_failure: 'proved' }, [], [{ kind: 'no_new_failure' }]],
  [{ verdict: 'unknown' }, [{ gate: 'A->B', verdict: 'proved' }], [{ kind: 'forbid', from: 'A', to: 'B' }]],
  [{ verdict: 'unknown' }, [{ gate: 'A->B', verdict: 'refuted' }], []],
  [{ verdict: 'unknown' }, [{ gate: 'no_new_failure', verdict: 'proved' }], []],
])('the claims of the comparison %j with the gates %j', (diff, gates, claims) => {
  const found = claimsOfImpact({ diff, gates } as unknown as Impact)
  expect(found.map(({ claim }) => claim)).toEqual(claims)
})

test('further proofs of a full certificate are left out', () => {
  // Each proof has a text of 8,000 characters.
  const long = `(t == u + "${'x'.repeat(8000)}")`
  const document = decisionOf([`${long} && !${long}`])
  const claim: Claim = { kind: 'dead_branch', place: '/steps/d/branches/0' }
  const { certificate, uncertified } = certify(
    [document],
    Array.from({ length: 700 }, () => ({ claim })),
  )
  expect(certificate.proofs.length).toBeGreaterThan(0)
  expect(stringifyJson(certificate.proofs as unknown as Value).length).toBeLessThan(6_000_000)
  expect(uncertified[0]?.reason).toBe('the certificate has 5242880 characters already')
})
