import { expect, test } from 'vitest'
import { junitText, tapText } from './reports.ts'

const passed = (name: string, duration = 0) => ({ name, duration, failures: [] })
const failed = (name: string, ...failures: readonly string[]) => ({ name, duration: 1.5, failures })

test('JUnit has the tests and failures of each suite, and times in seconds', () => {
  const suites = [
    { name: 'fee', tests: [passed('a', 1234.5678), failed('b', 'code: expected "A"', 'path: x')] },
    { name: 'tax', tests: [passed('c')] },
  ]
  expect(junitText(suites)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="fee" tests="2" failures="1">
    <testcase classname="fee" name="a" time="1.234568"/>
    <testcase classname="fee" name="b" time="0.001500">
      <failure message="code: expected &quot;A&quot;">code: expected &quot;A&quot;
path: x</failure>
    </testcase>
  </testsuite>
  <testsuite name="tax" tests="1" failures="0">
    <testcase classname="tax" name="c" time="0.000000"/>
  </testsuite>
</testsuites>
`)
  expect(junitText([])).toBe('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n</testsuites>\n')
})

test.each([
  [`<&>"'`, '&lt;&amp;&gt;&quot;&apos;'],
  ['a\tb', 'a\tb'],
  ['\u0000\u001F', '\uFFFD\uFFFD'],
  ['\uD800', '\uFFFD'],
  ['\u{1F600}\uFFFD', '\u{1F600}\uFFFD'],
  ['\uFFFE', '\uFFFD'],
])('the name %j is %j in XML', (name, written) => {
  expect(junitText([{ name: 's', tests: [passed(name)] }])).toContain(`name="${written}" time`)
})

test('TAP numbers the tests of all suites, and lists all failures', () => {
  const suites = [
    { name: 'fee', tests: [passed('a'), failed('b', 'one "x"', 'two')] },
    { name: 'tax', tests: [passed('c')] },
  ]
  expect(tapText(suites)).toBe(
    [
      'TAP version 14',
      '1..3',
      'ok 1 - fee: a',
      'not ok 2 - fee: b',
      '  ---',
      String.raw`  - "one \"x\""`,
      '  - "two"',
      '  ...',
      'ok 3 - tax: c',
      '',
    ].join('\n'),
  )
  expect(tapText([])).toBe('TAP version 14\n1..0\n')
})

test.each([
  ['a # SKIP', String.raw`a \# SKIP`],
  ['a\\b', String.raw`a\\b`],
  ['a\r\n\u2028b', 'a b'],
])('the title %j is %j in TAP', (name, written) => {
  expect(tapText([{ name: 's', tests: [passed(name)] }])).toContain(`ok 1 - s: ${written}\n`)
})
