import type { Value } from '@engine/expression'

type Json = { readonly [key: string]: Value }

/** A ruleset that releases store, with an input for it. */
export interface Sample {
  readonly document: Json & { readonly config: Json & { readonly name: string } }
  readonly input: Json
}

const NOON = '"2026-11-22T07:08:09Z"'

/** Expressions whose check has become stricter, by the name of a ruleset. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  'pattern-words': `format_date(${NOON}, "MMMM D, YYYY")`,
  'pattern-years': `format_date(${NOON}, "yyyy-MM-dd")`,
  'network-zeros': 'cidr_contains("010.0.0.0/8", ip)',
  'address-zeros': 'cidr_contains("10.0.0.0/8", "010.001.2.3")',
  'network-as-address': 'cidr_contains("10.0.0.0/8", "10.1.0.0/16")',
  'address-zone': 'cidr_contains("fe80::/10", "fe80::1%eth0")',
  'networks-zeros': 'cidr_intersects("010.0.0.0/8", "10.9.0.0/16")',
  'unlike-arguments': 'max(1, "a")',
  'unlike-arguments-unreached': 'ip == "never" ? max(1, "a") : 5',
  'elements-of-a-list': 'map(["a"], x => true ? "b" : x * 2)',
  'elements-that-fail': 'any([1, 2], x => starts_with(x, "a"))',
  plain: 'ip in ["10.1.2.3"] && round(2.5) == 3',
}

const SUB_RULE: Json = {
  entry_step: 'set',
  steps: {
    set: {
      id: 'set',
      type: 'action',
      actions: [{ action: 'set_variable', name: 'day', value: `format_date(${NOON}, "dd.MM.")` }],
      next_step: 'done',
    },
    done: { id: 'done', type: 'terminal', result: { code: 'DONE', message: '' } },
  },
}

const giving = (name: string, output: string, more: Json = {}): Sample['document'] => ({
  config: { name, version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'GIVEN', message: '', output: [['x', output]] } } },
  ...more,
})

/** What each release stores of this, as far as it accepts it. */
export const SAMPLES: readonly Sample[] = [
  ...Object.entries(EXPRESSIONS).map(([name, expression]): Sample => ({
    document: giving(name, expression),
    input: { ip: '10.1.2.3' },
  })),
  {
    document: {
      config: { name: 'branches', version: '1.0.0', entry_step: 'start', message_templates: true },
      steps: {
        start: {
          id: 'start',
          type: 'decision',
          branches: [
            { condition: 'cidr_contains("192.168.010.0/24", ip)', next_step: 'inside' },
            { condition: `format_date(${NOON}, "MMM") == "11M"`, next_step: 'outside' },
          ],
        },
        inside: { id: 'inside', type: 'terminal', result: { code: 'INSIDE', message: 'in' } },
        outside: {
          id: 'outside',
          type: 'terminal',
          result: { code: 'OUTSIDE', message: `on {format_date(${NOON}, "DDDD")}` },
        },
      },
    },
    input: { ip: '10.1.2.3' },
  },
  {
    document: {
      config: { name: 'with-sub-rule', version: '1.0.0', entry_step: 'use' },
      steps: {
        use: { id: 'use', type: 'sub_rule', ref_name: 'day', bindings: [], outputs: [['x', 'day']], next_step: 'end' },
        end: { id: 'end', type: 'terminal', result: { code: 'GIVEN', message: '', output: [['x', '$x']] } },
      },
      sub_rules: { day: SUB_RULE },
    },
    input: {},
  },
]

/** Replaced by a later content of its name, to be rolled back to. */
export const REPLACED: Sample = { document: giving('replaced', `format_date(${NOON}, "DD MMMM")`), input: {} }
export const REPLACING: Sample = { document: giving('replaced', '"later"'), input: {} }
