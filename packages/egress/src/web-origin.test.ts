import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../tests/cases.testing.ts'
import { BadWebOrigin, parseWebOrigin } from './web-origin.ts'

describe('an origin', () => {
  test.each([
    ['http://engine', 'http://engine'],
    ['http://engine/', 'http://engine'],
    ['HTTP://Engine.Example.COM:8080', 'http://engine.example.com:8080'],
    ['https://engine.example.com.', 'https://engine.example.com'],
    ['https://engine:443', 'https://engine'],
    ['http://engine:80', 'http://engine'],
    ['https://engine:80', 'https://engine:80'],
    ['http://engine:08080', 'http://engine:8080'],
    ['http://engine_1.internal:8080', 'http://engine_1.internal:8080'],
    ['http://xn--bcher-kva.example', 'http://xn--bcher-kva.example'],
    ['http://10.0.0.5:8080', 'http://10.0.0.5:8080'],
    ['http://[FD00:0:0::7]:8080', 'http://[fd00::7]:8080'],
    ['http://[::1]', 'http://[::1]'],
    ['http://kiosk-s.K8S.svc:8080', 'http://kiosk-s.k8s.svc:8080'],
  ])('%s is kept as %s', (text, origin) => {
    expect(parseWebOrigin(text)).toBe(origin)
    expect(parseWebOrigin(origin)).toBe(origin)
  })

  test.each([
    // more than an origin
    'http://engine/api',
    'http://engine//',
    'http://engine/?x=1',
    'http://engine?',
    'http://engine?x=',
    'http://engine#',
    'http://engine/#a',
    'http://user@engine',
    'http://user:password@engine',
    'http://:@engine',
    'http://@engine',
    'http://engine/a/b/../../secret',
    'http://engine/..',
    // another scheme, or none
    '',
    'engine',
    'engine:8080',
    '//engine',
    'file:///etc/passwd',
    'gopher://engine',
    'javascript:alert(1)',
    'ws://engine',
    'httpx://engine',
    'blob:http://engine',
    // other slashes, blanks and control characters
    'http:engine',
    'http:/engine',
    'http:///engine',
    'http:\\\\engine',
    'http://engine\\',
    'http://engine\\@other',
    ' http://engine',
    'http://engine ',
    'http://eng ine',
    'http://eng\tine',
    'http://engine\n',
    'http://engine\u0000',
    'ht\ntp://engine',
    // hosts that are not what they appear to be
    'http://',
    'http://:8080',
    'http://%31%32%37.0.0.1',
    'http://eng%69ne',
    'http://0177.0.0.1',
    'http://0x7f.0.0.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://127.1',
    'http://127.0.1',
    'http://127.0.0.1.',
    'http://010.0.0.1',
    'http://1.2.3.4.5',
    'http://256.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]:8080',
    'http://[fe80::1%25eth0]',
    'http://[fe80::1%eth0]',
    'http://[::1',
    'http://::1',
    'http://bücher.example',
    'http://１２７.0.0.1',
    'http://127。0。0。1',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'http://engine\u00ad.example',
    'http://en\u200bgine',
    'http://\u212aiosk',
    'http\u017f://kiosk',
    'http://a..b',
    'http://.a',
    'http://-a',
    'http://a-',
    `http://${'a'.repeat(64)}.example`,
    `http://${'a.'.repeat(130)}a`,
    // ports
    'http://engine:0',
    'http://engine:00',
    'http://engine:65536',
    'http://engine:-1',
    'http://engine:8080:8081',
    'http://engine:http',
  ])('%j is refused', (text) => {
    expect(() => parseWebOrigin(text)).toThrow(BadWebOrigin)
  })

  test('an empty port is that of the scheme', () => {
    expect(parseWebOrigin('http://engine:')).toBe('http://engine')
  })

  test.each([
    ['http://engine/api', /without user, path, query and fragment/],
    ['http://0177.0.0.1', /write the address as `127\.0\.0\.1`/],
    ['http://[::ffff:10.0.0.1]', /write the address as `10\.0\.0\.1`/],
    ['http://bücher.example', /xn--/],
    ['http://engine:0', /port 0/],
  ])('the message for %s names the correct origin', (text, message) => {
    expect(() => parseWebOrigin(text)).toThrow(message)
  })

  test('every accepted text is an origin of the URL standard, and stays the same', () => {
    const part = fc.constantFrom(
      'http',
      'HTTPS',
      ':',
      '/',
      '//',
      '\\',
      '@',
      '?',
      '#',
      '.',
      '%2e',
      '[',
      ']',
      '::',
      '1',
      'a',
    )
    const texts = fc.oneof(
      fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.string(),
    )
    fc.assert(
      fc.property(texts, (text) => {
        let origin: string
        try {
          origin = parseWebOrigin(text)
        } catch (error) {
          expect(error).toBeInstanceOf(BadWebOrigin)
          return
        }
        const url = new URL(origin)
        expect([url.origin, url.pathname, url.search, url.hash, url.username]).toEqual([origin, '/', '', '', ''])
        expect(parseWebOrigin(origin)).toBe(origin)
      }),
      casesOfProperty(20_000),
    )
  })
})
