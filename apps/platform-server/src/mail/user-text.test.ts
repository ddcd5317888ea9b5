import { expect, test } from 'vitest'
import { nameInMail } from './user-text.ts'

test.each([
  ['Acme Inc.', 'Acme Inc.'],
  ['Zoë Müller-Lüdenscheidt', 'Zoë Müller-Lüdenscheidt'],
  ['株式会社', '株式会社'],
  ['http://evil.test', 'http: / / evil. test'],
  ['HTTPS://EVIL.TEST/a?b', 'HTTPS: / / EVIL. TEST/ a?b'],
  ['www.evil.test', 'www. evil. test'],
  ['evil.test', 'evil. test'],
  ['evil。test', 'evil。 test'],
  ['ｅｖｉｌ．ｔｅｓｔ', 'evil. test'],
  ['ev\u200Bil.te\u00ADst', 'evil. test'],
  ['pay@evil.test', 'pay at evil. test'],
  ['mailto:x', 'mailto: x'],
  ['\\\\evil\\share', '\\ \\ evil\\ share'],
  ['a\u2028b\u2029c\r\nd\te\u0085f', 'a b c d e f'],
  ['\u202Etset.live\u2066x', 'tset. livex'],
  ['Acme” is closed. Sign in', "Acme' is closed. Sign in"],
  ['x'.repeat(200), 'x'.repeat(100)],
])('%j is shown as %j', (name, shown) => {
  expect(nameInMail(name)).toBe(shown)
})
