import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Option } from '@engine/process'
import { optionsPage } from '../../../../packages/process/src/options/page.testing.ts'
import { OPTIONS } from './options.ts'
import { PROGRAM, readConfiguration, type Configuration, type Environment } from './config.ts'
import { VERSION } from '../version.ts'

function accepted(args: string, env: Environment = {}): Configuration {
  const request = readConfiguration(args.split(' ').filter(Boolean), env)
  if (request.kind === 'end') throw new Error(request.output)
  return request.configuration
}

function refused(args: string, env: Environment = {}): string {
  const request = readConfiguration(args.split(' ').filter(Boolean), env)
  if (request.kind === 'run') throw new Error(`accepted: ${JSON.stringify(request.configuration)}`)
  expect(request.code).toBe(2)
  return request.output
}

test('the page in docs is the table of options', async () => {
  const page = join(import.meta.dirname, '../../../../docs/configuration.md')
  // A page that is not there would be written, and the test would pass.
  expect(existsSync(page)).toBe(true)
  const made = optionsPage(PROGRAM, {
    origin: `Made from \`apps/engine-server/src/config/options.ts\`; a test holds this page equal to it (\`npx vitest run
apps/engine-server/src/config/config.test.ts -u\` writes it).`,
    switch: '--debug-mode',
    seeAlso:
      'The options in use: [operations.md](operations.md), [monitoring.md](monitoring.md), [access.md](access.md). Variables of OpenTelemetry for traces: [monitoring](monitoring.md#traces).',
  })
  await expect(made).toMatchFileSnapshot(page)
})

describe('defaults', () => {
  test('are those of specification 8', () => {
    expect(accepted('')).toEqual({
      http: { host: undefined, port: 8080 },
      grpc: { host: undefined, port: 50_051 },
      grpcTlsCert: undefined,
      grpcTlsKey: undefined,
      grpcTlsClientCa: undefined,
      grpcOriginService: false,
      udsPath: undefined,
      role: 'standalone',
      writerAddr: undefined,
      brokerUrl: undefined,
      brokerSubjectPrefix: 'engine.rules',
      brokerCredentialsFile: undefined,
      brokerReplicas: 1,
      brokerNkeyFile: undefined,
      brokerTlsCertFile: undefined,
      brokerTlsKeyFile: undefined,
      brokerTlsFirst: false,
      brokerOtherWriters: false,
      brokerDomain: undefined,
      multiTenancyEnabled: false,
      networkHttpPolicy: undefined,
      networkHttpAllow: [],
      signatureEnabled: false,
      signatureRequire: false,
      signatureTrustedKeys: [],
      signatureTrustedKeysFile: undefined,
      signatureAllowUnsignedLocal: true,
      signatureBindTenant: false,
      signatureMinVersion: undefined,
      logLevel: 'info',
      contracts: 'ruleset',
      corsOrigin: [],
      debugMode: false,
      rulesDir: undefined,
      maxVersions: 10,
      watchRules: false,
      auditDir: undefined,
      auditSampleRate: 10,
      platformReadySecs: 60,
      sampleDecisions: 0,
      sampleAnswers: false,
      allowDirectWrites: false,
      auditIncludePayload: false,
      watchdogSecs: 30,
      fastLane: true,
      maxConnections: 10_000,
      grpcMaxConnectionAgeSecs: 0,
      maxUnreadBodyBytes: 268_435_456,
      maxRequestBodyBytes: 10_485_760,
      requestTimeoutSecs: 30,
      shutdownTimeoutSecs: 30,
      executionTimeoutMs: 5000,
      metricsEnabled: true,
      workers: 1,
      serviceName: 'engine-server',
      ofrep: 'off',
      traces: undefined,
      logFormat: 'auto',
      accessLog: false,
      instanceId: undefined,
      apiTokensFile: undefined,
      httpTlsCert: undefined,
      httpTlsKey: undefined,
      seedDir: undefined,
      receipts: 'off',
      receiptsEvidence: 'none',
      receiptsFsync: 'checkpoint',
      receiptsIntervalMs: 1000,
      receiptsOnFailure: 'refuse',
      receiptsRetainDays: 90,
    })
  })

  test('every option but the ports can come from the environment, under its own name', () => {
    for (const { flag, env } of Object.values<Option<unknown>>(OPTIONS).filter(
      ({ flag: name }) => !name.endsWith('port'),
    ))
      // Specification 5.3 names this one otherwise.
      expect(env).toBe(
        flag === '--platform-connect-token'
          ? 'ENGINE_CONNECT_TOKEN'
          : `ENGINE_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`,
      )
  })
})

const tracesTo = (url: string) => ({
  url,
  attributes: {},
  sampler: { ratio: 1, isParentBased: true },
  timeoutMs: 5000,
})

describe('listening addresses', () => {
  const rows: readonly [string, Environment, Configuration['http']][] = [
    ['--http-addr 127.0.0.1:9000', {}, { host: '127.0.0.1', port: 9000 }],
    ['--http-addr :9000', {}, { host: undefined, port: 9000 }],
    ['--http-addr *:9000', {}, { host: undefined, port: 9000 }],
    ['--http-addr [::1]:9000', {}, { host: '::1', port: 9000 }],
    ['--http-addr [::]:9000', {}, { host: '::', port: 9000 }],
    ['--http-addr localhost', {}, { host: 'localhost', port: 8080 }],
    ['-p 9001', {}, { host: undefined, port: 9001 }],
    ['--port 0', {}, { host: undefined, port: 0 }],
    ['-p 9001 --http-addr 127.0.0.1', {}, { host: '127.0.0.1', port: 9001 }],
    ['-p 9001 --http-addr 127.0.0.1:9001', {}, { host: '127.0.0.1', port: 9001 }],
    ['', { ENGINE_HTTP_ADDR: '127.0.0.1:9002' }, { host: '127.0.0.1', port: 9002 }],
    ['-p 9001', { ENGINE_HTTP_ADDR: '127.0.0.1:9002' }, { host: '127.0.0.1', port: 9001 }],
    ['--http-addr :9003', { ENGINE_HTTP_ADDR: '127.0.0.1:9002' }, { host: undefined, port: 9003 }],
    ['--disable-http --uds-path /tmp/e.sock', {}, undefined],
  ]
  test.each(rows)('%j with %j', (args, env, http) => {
    expect(accepted(args, env).http).toEqual(http)
  })

  test.each<[string, Environment, Configuration['grpc']]>([
    ['--grpc-addr 127.0.0.1:9000', {}, { host: '127.0.0.1', port: 9000 }],
    ['--grpc-port 9001', { ENGINE_GRPC_ADDR: '[::1]:9002' }, { host: '::1', port: 9001 }],
    ['', { ENGINE_GRPC_ADDR: 'localhost' }, { host: 'localhost', port: 50_051 }],
    ['--disable-grpc', {}, undefined],
  ])('gRPC: %j with %j', (args, env, grpc) => {
    expect(accepted(args, env).grpc).toEqual(grpc)
  })
})

const KEY = `${'A'.repeat(43)}=`

describe('values', () => {
  const rows: readonly [string, Environment, Partial<Configuration>][] = [
    ['--log-level warn', { ENGINE_LOG_LEVEL: 'debug' }, { logLevel: 'warn' }],
    ['', { ENGINE_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    ['', { ENGINE_LOG_LEVEL: '' }, { logLevel: 'info' }],
    ['--debug-mode', {}, { debugMode: true }],
    ['--debug-mode false', { ENGINE_DEBUG_MODE: 'true' }, { debugMode: false }],
    ['--debug-mode --rules-dir r', {}, { debugMode: true, rulesDir: 'r' }],
    ['', { ENGINE_DEBUG_MODE: 'false' }, { debugMode: false }],
    ['', { ENGINE_DEBUG_MODE: '1' }, { debugMode: true }],
    ['--metrics-enabled=false', {}, { metricsEnabled: false }],
    ['', { ENGINE_METRICS_ENABLED: '0' }, { metricsEnabled: false }],
    ['--rules-dir r --max-versions 3', {}, { rulesDir: 'r', maxVersions: 3 }],
    ['--rules-dir r --watch-rules', {}, { rulesDir: 'r', watchRules: true }],
    ['--rules-dir r', { ENGINE_WATCH_RULES: '1' }, { watchRules: true }],
    ['--audit-dir a --audit-sample-rate 0', {}, { auditDir: 'a', auditSampleRate: 0 }],
    ['--audit-dir a --audit-include-payload', {}, { auditIncludePayload: true }],
    ['--otlp-endpoint http://127.0.0.1:4318/', {}, { traces: tracesTo('http://127.0.0.1:4318/v1/traces') }],
    [
      '--otlp-endpoint http://a.example',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b.example' },
      { traces: tracesTo('http://a.example/v1/traces') },
    ],
    ['', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b.example' }, { traces: tracesTo('http://b.example/v1/traces') }],
    ['', { OTEL_SERVICE_NAME: 'pricing' }, { serviceName: 'pricing' }],
    ['--service-name a', { OTEL_SERVICE_NAME: 'pricing' }, { serviceName: 'a' }],
    ['', { OTEL_SERVICE_NAME: 'pricing', ENGINE_SERVICE_NAME: 'b' }, { serviceName: 'b' }],
    ['--log-format text', {}, { logFormat: 'text' }],
    ['', { ENGINE_SIGNATURE_TRUSTED_KEYS: ` ${KEY} , ${KEY}` }, { signatureTrustedKeys: [KEY, KEY] }],
    ['', { ENGINE_ACCESS_LOG: 'true' }, { accessLog: true }],
    ['--instance-id blue_1', {}, { instanceId: 'blue_1' }],
    ['--service-name decisions', {}, { serviceName: 'decisions' }],
    ['--execution-timeout-ms 0', {}, { executionTimeoutMs: 0 }],
    ['--request-timeout-secs 5 --shutdown-timeout-secs 7', {}, { requestTimeoutSecs: 5, shutdownTimeoutSecs: 7 }],
    ['--max-request-body-bytes 2048', {}, { maxRequestBodyBytes: 2048 }],
    ['--http-tls-cert c.pem --http-tls-key k.pem', {}, { httpTlsCert: 'c.pem', httpTlsKey: 'k.pem' }],
    ['--api-tokens-file t --seed-dir s', {}, { apiTokensFile: 't', seedDir: 's' }],
    ['--port 1 --port 2', {}, { http: { host: undefined, port: 2 } }],
  ]
  test.each(rows)('%j with %j', (args, env, values) => {
    expect(accepted(args, env)).toMatchObject(values)
  })
})

describe('options without effect cause a warning, and the server starts', () => {
  test.each<[args: string, env: Environment, warning: string]>([
    ['--max-versions 3', {}, 'option --max-versions: has no effect without --rules-dir'],
    ['--watch-rules', {}, 'option --watch-rules: has no effect without --rules-dir'],
    ['--audit-include-payload', {}, 'option --audit-include-payload: has no effect without --audit-dir'],
    ['', { ENGINE_BROKER_URL: 'nats://n' }, 'option --broker-url: has no effect without --role writer'],
    ['--broker-replicas 3', {}, 'option --broker-replicas: has no effect without --broker-url'],
    ['--broker-domain hub', {}, 'option --broker-domain: has no effect without --broker-url'],
    ['', { ENGINE_BROKER_SUBJECT_PREFIX: 'a' }, 'option --broker-subject-prefix: has no effect without --broker-url'],
    ['--broker-credentials-file f', {}, 'option --broker-credentials-file: has no effect without --broker-url'],
    ['--broker-nkey-file f', {}, 'option --broker-nkey-file: has no effect without --broker-url'],
    ['--broker-other-writers', {}, 'option --broker-other-writers: has no effect without --role writer'],
    ['', { ENGINE_CONNECT_TOKEN: 'x' }, 'option --platform-connect-token: has no effect without --platform-url'],
    ['--platform-region eu', {}, 'option --platform-region: has no effect without --platform-url'],
    [
      '',
      { ENGINE_RULE_DIR: 'x' },
      'the environment variable ENGINE_RULE_DIR is not an option: did you mean ENGINE_RULES_DIR?',
    ],
    ['', { ENGINE_TOKEN: 'x' }, 'the environment variable ENGINE_TOKEN is not an option'],
  ])('%j with %j', (args, env, warning) => {
    const request = readConfiguration(args.split(' ').filter(Boolean), env)
    if (request.kind === 'end') throw new Error(request.output)
    expect(request.warnings).toEqual([expect.stringContaining(warning)])
    expect(request.configuration.brokerUrl).toBeUndefined()
  })
})

describe('a misspelt variable of a protective option aborts the start', () => {
  test.each([
    ['ENGINE_API_TOKEN_FILE', 'ENGINE_API_TOKENS_FILE'],
    ['ENGINE_HTTP_TLS_CRET', 'ENGINE_HTTP_TLS_CERT'],
    ['ENGINE_SIGNATURE_REQUIRED', 'ENGINE_SIGNATURE_REQUIRE'],
    ['ENGINE_SIGNATURES_ENABLED', 'ENGINE_SIGNATURE_ENABLED'],
    ['ENGINE_MULTI_TENANT_ENABLED', 'ENGINE_MULTI_TENANCY_ENABLED'],
    ['ENGINE_NETWORK_HTTP_ALLOWED', 'ENGINE_NETWORK_HTTP_ALLOW'],
  ])('%s', (name, meant) => {
    expect(refused('', { [name]: 'x' })).toBe(
      `error: the environment variable ${name} is not an option: did you mean ${meant}?\nSee \`engine-server --help\`.\n`,
    )
  })
})

describe('mistakes', () => {
  const rows: readonly [string, Environment, string][] = [
    ['--port 65536', {}, 'option --port: `65536` is not a whole number from 0 to 65535'],
    ['--port 80a', {}, 'option --port: `80a` is not a whole number'],
    ['--port=', {}, 'option --port: a value is missing: <port>'],
    ['--port -5', {}, 'option --port: `-5` is not a whole number'],
    ['--http-addr ::1:80', {}, 'option --http-addr: `::1:80` is not an address such as `127.0.0.1:8080`'],
    ['--http-addr 127.0.0.1:99999', {}, 'option --http-addr: `99999` is not a whole number from 0 to 65535'],
    ['--http-addr :1 --port 2', {}, 'option --port: contradicts the port of --http-addr'],
    ['--rules-dir', {}, 'option --rules-dir: a value is missing: <dir>'],
    ['--rules-dir --debug-mode', {}, 'option --rules-dir: a value is missing: <dir>'],
    ['--log-level loud', {}, 'option --log-level: `loud` is not one of `error`, `warn`, `info`, `debug`'],
    ['', { ENGINE_LOG_LEVEL: 'INFO' }, 'environment variable ENGINE_LOG_LEVEL: `INFO` is not one of'],
    ['--debug-mode maybe', {}, 'option --debug-mode: `maybe` is not `true` or `false`'],
    ['--debug-mode=', {}, 'option --debug-mode: a value is missing'],
    ['--audit-sample-rate 101', {}, 'option --audit-sample-rate: `101` is not a whole number from 0 to 100'],
    ['--workers 0', {}, 'option --workers: `0` is not a whole number from 1 to 64'],
    ['', { ENGINE_WORKERS: 'x' }, 'environment variable ENGINE_WORKERS: `x` is not a whole number from 1 to 64'],
    ['--audit-sample-rate 10.5', {}, 'option --audit-sample-rate: `10.5` is not a whole number'],
    ['--cors-origin https://a.example/x', {}, 'option --cors-origin: expected `*` or origins'],
    ['--cors-origin ws://a.example', {}, 'option --cors-origin: expected `*` or origins'],
    ['--otlp-endpoint ftp://x', {}, 'option --otlp-endpoint: `ftp://x` is not a URL such as'],
    ['--instance-id a.b', {}, 'option --instance-id: `a.b` is not 1 to 64 letters'],
    [
      '--disable-http --disable-grpc',
      {},
      'option --disable-http: with --disable-grpc nothing would be left to listen on: leave one of them out, or give --uds-path',
    ],
    ['--disable-grpc --grpc-port 1', {}, 'option --disable-grpc: contradicts --grpc-addr and --grpc-port'],
    ['--grpc-addr :1 --grpc-port 2', {}, 'option --grpc-port: contradicts the port of --grpc-addr'],
    ['--grpc-tls-cert c', {}, 'option --grpc-tls-cert: needs --grpc-tls-key as well'],
    ['--grpc-tls-client-ca c', {}, 'option --grpc-tls-client-ca: needs --grpc-tls-cert as well'],
    ['--disable-grpc --grpc-origin-service', {}, 'option --grpc-origin-service: contradicts --disable-grpc'],
    ['--disable-http --uds-path s --port 1', {}, 'option --disable-http: contradicts --http-addr and --port'],
    [
      '--disable-http --uds-path s --http-tls-cert c --http-tls-key k',
      {},
      'option --disable-http: contradicts --http-tls-cert and --http-tls-key',
    ],
    [`--uds-path /${'s'.repeat(108)}`, {}, 'is not a socket path of at most 107 bytes'],
    ['--http-tls-cert c', {}, 'option --http-tls-cert: needs --http-tls-key as well'],
    ['--http-tls-key k', {}, 'option --http-tls-key: needs --http-tls-cert as well'],
    ['--rule-dir r', {}, 'unknown option --rule-dir: did you mean --rules-dir?'],
    ['--rule-dir=r', {}, 'unknown option --rule-dir: did you mean --rules-dir?'],
    ['--nothing-like-it', {}, 'unknown option --nothing-like-it\n'],
    ['-x', {}, 'unknown option -x\n'],
    ['start', {}, 'unexpected `start`'],
  ]
  test.each(rows)('%j with %j', (args, env, message) => {
    const output = refused(args, env)
    expect(output).toContain(message)
    expect(output.match(/^error: /gm), 'one mistake, one line').toHaveLength(1)
  })

  test('are reported together', () => {
    expect(
      refused('--rule-dir r --port x --http-tls-cert c start', {
        ENGINE_AUDIT_SAMPLE_RATE: '-1',
      }),
    ).toBe(
      [
        'error: unknown option --rule-dir: did you mean --rules-dir?',
        'error: unexpected `start`',
        'error: option --port: `x` is not a whole number from 0 to 65535',
        'error: environment variable ENGINE_AUDIT_SAMPLE_RATE: `-1` is not a whole number from 0 to 100',
        'error: option --http-tls-cert: needs --http-tls-key as well',
        'See `engine-server --help`.',
        '',
      ].join('\n'),
    )
  })
})

describe('values', () => {
  test.each([
    ['--watch-rules=0', true],
    ['--watch-rules=x', false],
    ['--platform-url=http://127.0.0.1:3001 --platform-connect-token=eng_con_x', true],
    ['--platform-url=http://127.0.0.1:3001 --platform-registration-secret=x', true],
    ['--platform-url=http://127.0.0.1:3001', false],
    ['--platform-url=ftp://127.0.0.1 --platform-connect-token=x', false],
    ['--platform-url=http://a --platform-connect-token=x --platform-connect-token-file=f', false],
    ['--workers=2', true],
    ['--workers=0', false],
    ['--workers=65', false],
    ['--workers=x', false],
  ])('%s: accepts %s', (args, whether) => {
    expect(readConfiguration(args.split(' '), {}).kind).toBe(whether ? 'run' : 'end')
  })
})

describe('information', () => {
  test('--version prints the version', () => {
    expect(readConfiguration(['--version'], {})).toEqual({ kind: 'end', code: 0, output: `${VERSION}\n` })
  })

  test('--help names every option with its variable', () => {
    const help = readConfiguration(['--help', '--port', 'x'], {})
    expect(help).toMatchObject({ kind: 'end', code: 0 })
    const output = help.kind === 'end' ? help.output.replaceAll(/\s+/g, ' ') : ''
    for (const { flag, env } of Object.values<Option<unknown>>(OPTIONS)) expect(output).toContain(env ?? flag)
    for (const { flag } of Object.values<Option<unknown>>(OPTIONS)) expect(output).toContain(flag)
    expect(output).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
  })
})

describe('environment variables with our prefix', () => {
  test.each([
    ['ENGINE_API_TOKENS_FLIE', '', 'did you mean ENGINE_API_TOKENS_FILE?'],
    ['ENGINE_RULE_DIR', 'x', 'did you mean ENGINE_RULES_DIR?'],
    ['ENGINE_PORT', '9000', 'ENGINE_PORT is not an option'],
    ['ENGINE_SOMETHING_ELSE_ALTOGETHER', '', 'ENGINE_SOMETHING_ELSE_ALTOGETHER is not an option'],
  ])('%s=%s: %s', (name, value, warning) => {
    const request = readConfiguration([], { [name]: value })
    expect(request).toMatchObject({ kind: 'run', warnings: [expect.stringContaining(warning)] })
  })

  test.each([
    ['of an option', { ENGINE_RULES_DIR: 'x', ENGINE_WATCHDOG_SECS: '5' }],
    ['of other programs', { PATH: '/bin', engine_rules: 'x', SEARCH_ENGINE_URL: 'x' }],
    [
      'of a service in Kubernetes',
      {
        ENGINE_SERVICE_HOST: '10.0.0.1',
        ENGINE_SERVICE_PORT: '8080',
        ENGINE_SERVICE_PORT_HTTP: '8080',
        ENGINE_PORT: 'tcp://10.0.0.1:8080',
        ENGINE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
        ENGINE_PORT_8080_TCP_PROTO: 'tcp',
        ENGINE_PORT_8080_TCP_PORT: '8080',
        ENGINE_PORT_8080_TCP_ADDR: '10.0.0.1',
        ENGINE_WRITER_SERVICE_HOST: '10.0.0.2',
        ENGINE_WRITER_PORT: 'tcp://10.0.0.2:8080',
      },
    ],
  ])('those %s cause no warning', (_, env) => {
    expect(readConfiguration([], env)).toMatchObject({ kind: 'run', warnings: [] })
  })
})
