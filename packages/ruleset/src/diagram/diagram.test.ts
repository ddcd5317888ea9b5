import { describe, expect, test } from 'vitest'
import { decodeRuleset, diagramDot, diagramMermaid, diagramOf, diagramSvg, diagramText } from '../index.ts'

const EVIL = '"]; x --> y; <script>alert(1)</script> `#` \\" \u0001'
const { ruleset } = decodeRuleset({
  config: { name: 'fee', version: '1.2.0', entry_step: 'country' },
  steps: {
    country: {
      id: 'country',
      name: 'Which country?',
      type: 'decision',
      branches: [
        { condition: 'country == "DE"', next_step: 'count' },
        { condition: `country == "${EVIL.replaceAll(/[\\"]/g, "'")}"`, next_step: 'evil' },
      ],
      default_next: 'none',
    },
    count: {
      id: 'count',
      name: 'Count',
      type: 'action',
      actions: [
        { action: 'set_variable', name: 'fee', value: '5' },
        { action: 'log', message: 'x', level: 'info' },
      ],
      next_step: 'done',
    },
    done: { id: 'done', name: '', type: 'terminal', result: { code: 'DONE', message: 'a fee' } },
    evil: { id: 'evil', name: '', type: 'terminal', result: { code: EVIL, message: '' } },
    none: { id: 'none', name: '', type: 'terminal', result: { code: 'NONE', message: '' } },
    lost: { id: 'lost', name: '', type: 'terminal', result: { code: 'LOST', message: '' } },
  },
})
if (ruleset === undefined) throw new Error('the ruleset of this test is invalid')
const plain = diagramOf(ruleset)
const counted = diagramOf(
  ruleset,
  new Map([
    ['country', 2],
    ['country/0', 1],
    ['country/default', 1],
    ['count', 1],
    ['done', 1],
    ['none', 1],
  ]),
)

test('a diagram has each step and each exit, in order', () => {
  expect(plain.title).toBe('fee 1.2.0')
  expect(plain.nodes.map(({ id, type, isEntry, lines }) => [id, type, isEntry, lines[0]])).toEqual([
    ['country', 'decision', true, 'Which country?'],
    ['count', 'action', false, 'Count'],
    ['done', 'terminal', false, 'DONE: a fee'],
    ['evil', 'terminal', false, expect.stringContaining('script')],
    ['none', 'terminal', false, 'NONE'],
    ['lost', 'terminal', false, 'LOST'],
  ])
  expect(plain.edges.map(({ from, to, label }) => [from, to, label])).toEqual([
    ['country', 'count', 'country == "DE"'],
    ['country', 'evil', expect.any(String)],
    ['country', 'none', 'otherwise'],
    ['count', 'done', ''],
  ])
})

describe('the text', () => {
  test('lists each step with its exits', () => {
    expect(diagramText(plain)).toContain('country (decision, entry) Which country?\n  country == "DE" → count\n')
    expect(diagramText(plain)).toContain('count (action) Count\n    set $fee\n    log info\n  → done\n')
    expect(diagramText(plain)).not.toMatch(/[✓✗]/)
  })
  test('marks what executions take', () => {
    expect(diagramText(counted)).toContain('✓ country (decision, entry)')
    expect(diagramText(counted)).toContain('  ✓ otherwise → none')
    expect(diagramText(counted)).toContain('✗ lost (terminal)')
  })
})

describe('Mermaid', () => {
  test('has a node for each step and an edge for each exit', () => {
    const lines = diagramMermaid(plain).trimEnd().split('\n')
    expect(lines[0]).toBe('flowchart TD')
    expect(lines[1]).toBe('  s0{"Which country?"}')
    expect(lines.filter((line) => line.includes(' -->'))).toHaveLength(4)
    expect(lines).toHaveLength(1 + 6 + 4)
  })
  test('has no character of a text that ends its label', () => {
    for (const line of diagramMermaid(plain).split('\n')) {
      expect(line).not.toContain('<script')
      expect([0, 2]).toContain(line.split('"').length - 1)
    }
  })
  test('colours what is covered and what is missed', () => {
    const text = diagramMermaid(counted)
    expect(text).toContain('  class s0 covered')
    expect(text).toContain('  class s5 missed')
    expect(text).toContain('  linkStyle 1 stroke:#c62828')
  })
})

test('DOT quotes every text and colours by coverage', () => {
  const dot = diagramDot(counted)
  expect(dot).toContain('digraph "fee 1.2.0" {')
  expect(dot).toContain('"country" -> "none" [label="otherwise" color="#2e7d32"];')
  expect(dot).toContain('"lost" [shape=oval label="LOST" fillcolor="#fbdcdc"];')
  expect(dot).toContain('\\\\\\"')
  expect(diagramDot(plain)).not.toContain('#fbdcdc')
})

test('SVG is a document without markup of texts, with every step at a place of its own', () => {
  const svg = diagramSvg(counted)
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\n$/)
  expect(svg).not.toContain('<script')
  expect(svg).not.toContain('\u0001')
  const boxes = Array.from(svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)"/g), ([, x, y]) => `${x},${y}`)
  expect(new Set(boxes).size).toBe(6)
  expect(svg.match(/<path d="M[^"]*" fill="none"/g)).toHaveLength(4)
})

test('a loop ends', () => {
  const looping = decodeRuleset({
    config: { name: 'loop', entry_step: 'a' },
    steps: { a: { id: 'a', type: 'decision', branches: [{ condition: 'x', next_step: 'a' }] } },
  }).ruleset
  expect(looping && diagramSvg(diagramOf(looping))).toContain('<rect')
})
