import { expect, test } from 'vitest'
import { COMBINATIONS } from './combinations.ts'
import { readConfiguration } from './config.ts'

const KEY = `${'A'.repeat(43)}=`
const WRITER = '--role writer --instance-id a --broker-url nats://n'
const TLS_WRITER = WRITER.replace('nats:', 'tls:')
const LINK = '--platform-url http://p --platform-connect-token t'
const KEPT = '--instance-id a --receipts-key k --receipts-dir d'
const SIGNED = `--signature-enabled --signature-trusted-keys ${KEY}`

const read = (args: string) => readConfiguration(args.split(' ').filter(Boolean), {})

type Row = readonly [args: string, flag: string, reason: string]

const REFUSED: readonly Row[] = [
  ['--http-addr :1 --port 2', '--port', 'contradicts the port of --http-addr'],
  ['--grpc-addr :1 --grpc-port 2', '--grpc-port', 'contradicts the port of --grpc-addr'],
  ['--disable-http --disable-grpc', '--disable-http', 'with --disable-grpc nothing would be left'],
  ['--disable-http --http-addr :1', '--disable-http', 'contradicts --http-addr and --port'],
  ['--disable-http --port 1', '--disable-http', 'contradicts --http-addr and --port'],
  ['--disable-grpc --grpc-addr :1', '--disable-grpc', 'contradicts --grpc-addr and --grpc-port'],
  ['--disable-grpc --grpc-port 1', '--disable-grpc', 'contradicts --grpc-addr and --grpc-port'],
  ['--disable-http --http-tls-cert c --http-tls-key k', '--disable-http', 'contradicts --http-tls-cert'],
  ['--disable-grpc --grpc-tls-cert c --grpc-tls-key k', '--disable-grpc', 'contradicts --grpc-tls-cert'],
  ['--http-tls-cert c', '--http-tls-cert', 'needs --http-tls-key'],
  ['--http-tls-key k', '--http-tls-key', 'needs --http-tls-cert'],
  ['--grpc-tls-cert c', '--grpc-tls-cert', 'needs --grpc-tls-key'],
  ['--grpc-tls-key k', '--grpc-tls-key', 'needs --grpc-tls-cert'],
  ['--grpc-tls-client-ca c', '--grpc-tls-client-ca', 'needs --grpc-tls-cert'],
  ['--disable-grpc --grpc-origin-service', '--grpc-origin-service', 'contradicts --disable-grpc'],
  [`--signature-require --signature-trusted-keys ${KEY}`, '--signature-require', 'needs --signature-enabled'],
  ['--signature-enabled --signature-require', '--signature-require', 'needs a trusted key'],
  [`${SIGNED} --signature-bind-tenant`, '--signature-bind-tenant', 'needs --signature-enabled and'],
  ['--multi-tenancy-enabled --signature-bind-tenant', '--signature-bind-tenant', 'needs --signature-enabled and'],
  ['--signature-min-version f', '--signature-min-version', 'needs --signature-enabled'],
  ['--network-http-policy open --network-http-allow h', '--network-http-policy', '`open` contradicts'],
  ['--network-http-policy allowlist', '--network-http-policy', '`allowlist` needs'],
  [
    `${WRITER.replace('//', '//u:p@')} --broker-credentials-file f`,
    '--broker-credentials-file',
    'contradicts the user',
  ],
  [`${WRITER.replace('//', '//u@')} --broker-credentials-file f`, '--broker-credentials-file', 'contradicts the user'],
  [`${WRITER.replace('//', '//u:p@')} --broker-nkey-file f`, '--broker-nkey-file', 'contradicts the user'],
  [`${WRITER.replace('//', '//u@')} --broker-nkey-file f`, '--broker-nkey-file', 'contradicts the user'],
  [`${WRITER} --broker-credentials-file f --broker-nkey-file g`, '--broker-nkey-file', 'contradicts the user'],
  [`${TLS_WRITER} --broker-tls-cert-file f`, '--broker-tls-cert-file', 'needs --broker-tls-key-file'],
  [`${TLS_WRITER} --broker-tls-key-file f`, '--broker-tls-cert-file', 'needs --broker-tls-key-file'],
  [
    `${WRITER} --broker-tls-cert-file f --broker-tls-key-file g`,
    '--broker-tls-cert-file',
    'needs --broker-url with `tls://`',
  ],
  [`${WRITER} --broker-tls-first`, '--broker-tls-first', 'needs --broker-url with `tls://`'],
  ['--platform-url http://p', '--platform-url', 'needs --platform-connect-token'],
  [`${LINK} --platform-connect-token-file f`, '--platform-connect-token-file', 'contradicts --platform-connect-token'],
  ['--ofrep list', '--ofrep', '`list` needs --ofrep-config'],
  [`--receipts ask ${KEPT.replace('--receipts-key k', '')}`, '--receipts', 'needs --receipts-key'],
  [`--receipts ask ${KEPT.replace('--receipts-dir d', '')}`, '--receipts', 'needs --receipts-dir'],
  [`--receipts all ${KEPT.replace('--instance-id a', '')}`, '--receipts', 'needs --instance-id'],
]

const WARNED: readonly Row[] = [
  ['--max-versions 3', '--max-versions', 'has no effect without --rules-dir'],
  ['--watch-rules', '--watch-rules', 'has no effect without --rules-dir'],
  ['--fast-lane --otlp-endpoint http://o', '--fast-lane', 'has no effect with --otlp-endpoint'],
  ['--fast-lane --cors-origin *', '--fast-lane', 'has no effect with --otlp-endpoint'],
  [`--fast-lane --receipts ask ${KEPT}`, '--fast-lane', 'has no effect with --otlp-endpoint'],
  ['--broker-url nats://n', '--broker-url', 'has no effect without --role'],
  ['--broker-subject-prefix a', '--broker-subject-prefix', 'has no effect without --broker-url'],
  ['--broker-credentials-file f', '--broker-credentials-file', 'has no effect without --broker-url'],
  ['--broker-nkey-file f', '--broker-nkey-file', 'has no effect without --broker-url'],
  ['--broker-other-writers', '--broker-other-writers', 'has no effect without --role writer'],
  [`${WRITER.replace('writer', 'reader')} --broker-other-writers`, '--broker-other-writers', 'has no effect without'],
  ['--role writer --instance-id a --broker-other-writers', '--broker-other-writers', 'has no effect without'],
  ['--broker-domain d', '--broker-domain', 'has no effect without --broker-url'],
  ['--broker-replicas 3', '--broker-replicas', 'has no effect without --broker-url'],
  ['--audit-include-payload', '--audit-include-payload', 'has no effect without --audit-dir'],
  [`${LINK} --allow-direct-writes --api-tokens-file f`, '--allow-direct-writes', 'has no effect with'],
  ['--authzen-token-key k', '--authzen-token-key', 'has no effect without --authzen-config'],
  ['--ofrep-config f', '--ofrep-config', 'has no effect without --ofrep'],
  [
    `--receipts ask ${KEPT} --receipts-retain-days 7 --receipts-evidence-retain-days 8`,
    '--receipts-evidence-retain-days',
    'has no effect beyond --receipts-retain-days',
  ],
  ...[
    'key k',
    'dir d',
    'evidence keep',
    'interval-ms 9',
    'fsync never',
    'retain-days 9',
    'evidence-retain-days 9',
    'on-failure continue',
    'hook http://h',
  ].map((option): Row => {
    const flag = `--receipts-${option.replace(/ .*/, '')}`
    return [`--receipts-${option}`, flag, 'has no effect without --receipts']
  }),
  [`${LINK} --sample-answers`, '--sample-answers', 'has no effect without --sample-decisions'],
  ...[
    '--platform-connect-token t',
    '--platform-connect-token-file f',
    '--platform-registration-secret s',
    '--platform-server-name n',
    '--platform-region r',
    '--platform-ready-secs 9',
    '--platform-server-url http://e',
    '--sample-decisions 9',
    '--sample-answers',
    '--allow-direct-writes',
  ].map((option): Row => [option, option.replace(/ .*/, ''), 'has no effect without --platform-url']),
  ['--access-log --log-level warn', '--access-log', 'has no effect with --log-level'],
  ['--access-log --log-level error', '--access-log', 'has no effect with --log-level'],
]

test.each(REFUSED)('%s is refused: %s %s', (args, flag, reason) => {
  const { kind, output } = { output: '', ...read(args) }
  expect(kind).toBe('end')
  expect(output.match(/^error: .*/gm)).toEqual([expect.stringContaining(`error: option ${flag}: ${reason}`)])
})

test.each(WARNED)('%s starts with a warning: %s %s', (args, flag, reason) => {
  expect(read(args)).toMatchObject({
    kind: 'run',
    warnings: [expect.stringContaining(`option ${flag}: ${reason}`)],
  })
})

test.each([
  '--http-addr :1 --port 1',
  '--http-addr a --port 1',
  '--grpc-addr :1 --grpc-port 1',
  '--disable-http --disable-grpc --uds-path s',
  '--disable-http',
  '--disable-grpc',
  '--disable-grpc --grpc-origin-service --uds-path s',
  '--http-tls-cert c --http-tls-key k',
  '--grpc-tls-cert c --grpc-tls-key k --grpc-tls-client-ca a',
  '--rules-dir r --max-versions 3 --watch-rules',
  `${SIGNED} --signature-require --signature-min-version f`,
  '--signature-enabled --signature-require --signature-trusted-keys-file f',
  `${SIGNED} --multi-tenancy-enabled --signature-bind-tenant`,
  '--network-http-policy allowlist --network-http-allow h',
  '--network-http-policy open',
  '--otlp-endpoint http://o',
  '--fast-lane=false --otlp-endpoint http://o',
  '--fast-lane',
  `${WRITER} --broker-credentials-file f --broker-other-writers --broker-domain d --broker-replicas 3`,
  `${WRITER} --broker-nkey-file f --broker-subject-prefix a`,
  '--broker-subject-prefix engine.rules',
  `${TLS_WRITER} --broker-tls-cert-file f --broker-tls-key-file g --broker-tls-first`,
  '--audit-dir a --audit-include-payload',
  `${LINK} --allow-direct-writes --sample-decisions 9 --sample-answers`,
  '--platform-url http://p --platform-connect-token-file f',
  '--platform-url http://p --platform-registration-secret s',
  '--authzen-config f --authzen-token-key k',
  '--ofrep list --ofrep-config f',
  '--ofrep all',
  `--receipts ask ${KEPT} --receipts-retain-days 7 --receipts-evidence-retain-days 7 --receipts-evidence keep`,
  '--access-log --log-level info',
])('%s starts without a warning', (args) => {
  expect(read(args)).toMatchObject({ kind: 'run', warnings: [] })
})

test('each combination has a row', () => {
  const rows = [...REFUSED, ...WARNED]
  const isCovered = ({ flag, reason }: { flag: string; reason: string }) =>
    rows.some(([, of, begin]) => of === flag && reason.startsWith(begin))
  expect(COMBINATIONS.filter((one) => !isCovered(one)).map(({ flag, reason }) => `${flag}: ${reason}`)).toEqual([])
})
