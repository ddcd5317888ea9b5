import type { Combination } from '@engine/process'
import type { OPTIONS } from './options.ts'

/** Options that describe this engine to a platform. */
const PLATFORM = [
  { flag: '--platform-connect-token', key: 'platformConnectToken' },
  { flag: '--platform-connect-token-file', key: 'platformConnectTokenFile' },
  { flag: '--platform-registration-secret', key: 'platformRegistrationSecret' },
  { flag: '--platform-server-name', key: 'platformServerName' },
  { flag: '--platform-region', key: 'platformRegion' },
  { flag: '--platform-ready-secs', key: 'platformReadySecs' },
  { flag: '--platform-server-url', key: 'platformServerUrl' },
  { flag: '--sample-decisions', key: 'sampleDecisions' },
  { flag: '--sample-answers', key: 'sampleAnswers' },
  { flag: '--allow-direct-writes', key: 'allowDirectWrites' },
] as const

/** Options that have no effect without `--receipts`. */
const RECEIPTS = [
  { flag: '--receipts-key', key: 'receiptsKey' },
  { flag: '--receipts-dir', key: 'receiptsDir' },
  { flag: '--receipts-evidence', key: 'receiptsEvidence' },
  { flag: '--receipts-interval-ms', key: 'receiptsIntervalMs' },
  { flag: '--receipts-fsync', key: 'receiptsFsync' },
  { flag: '--receipts-retain-days', key: 'receiptsRetainDays' },
  { flag: '--receipts-evidence-retain-days', key: 'receiptsEvidenceRetainDays' },
  { flag: '--receipts-on-failure', key: 'receiptsOnFailure' },
  { flag: '--receipts-hook', key: 'receiptsHook' },
] as const

/** All combinations that are refused, or that cause a warning because one option has no effect. */
export const COMBINATIONS: readonly Combination<typeof OPTIONS>[] = [
  {
    flag: '--port',
    wrong: ({ httpAddr, port }, _, flag) =>
      flag('port') && flag('httpAddr') && httpAddr?.port !== undefined && httpAddr.port !== port,
    reason: 'contradicts the port of --http-addr: give one of them',
  },
  {
    flag: '--grpc-port',
    wrong: ({ grpcAddr, grpcPort }, _, flag) =>
      flag('grpcPort') && flag('grpcAddr') && grpcAddr?.port !== undefined && grpcAddr.port !== grpcPort,
    reason: 'contradicts the port of --grpc-addr: give one of them',
  },
  {
    flag: '--disable-http',
    wrong: ({ disableHttp, disableGrpc, udsPath }) => disableHttp && disableGrpc && udsPath === undefined,
    reason: 'with --disable-grpc nothing would be left to listen on: leave one of them out, or give --uds-path',
  },
  {
    flag: '--disable-http',
    wrong: ({ disableHttp }, given) => disableHttp && (given('httpAddr') || given('port')),
    reason: 'contradicts --http-addr and --port: leave them out',
  },
  {
    flag: '--disable-grpc',
    wrong: ({ disableGrpc }, given) => disableGrpc && (given('grpcAddr') || given('grpcPort')),
    reason: 'contradicts --grpc-addr and --grpc-port: leave them out',
  },
  {
    flag: '--disable-http',
    wrong: ({ disableHttp, httpTlsCert, httpTlsKey }) => disableHttp && (httpTlsCert ?? httpTlsKey) !== undefined,
    reason: 'contradicts --http-tls-cert and --http-tls-key, which are for TCP: leave them out',
  },
  {
    flag: '--disable-grpc',
    wrong: ({ disableGrpc, grpcTlsCert, grpcTlsKey }) => disableGrpc && (grpcTlsCert ?? grpcTlsKey) !== undefined,
    reason: 'contradicts --grpc-tls-cert and --grpc-tls-key, which are for TCP: leave them out',
  },
  {
    flag: '--http-tls-cert',
    wrong: ({ httpTlsCert, httpTlsKey }) => httpTlsCert !== undefined && httpTlsKey === undefined,
    reason: 'needs --http-tls-key as well',
  },
  {
    flag: '--http-tls-key',
    wrong: ({ httpTlsCert, httpTlsKey }) => httpTlsKey !== undefined && httpTlsCert === undefined,
    reason: 'needs --http-tls-cert as well',
  },
  {
    flag: '--grpc-tls-cert',
    wrong: ({ grpcTlsCert, grpcTlsKey }) => grpcTlsCert !== undefined && grpcTlsKey === undefined,
    reason: 'needs --grpc-tls-key as well',
  },
  {
    flag: '--grpc-tls-key',
    wrong: ({ grpcTlsCert, grpcTlsKey }) => grpcTlsKey !== undefined && grpcTlsCert === undefined,
    reason: 'needs --grpc-tls-cert as well',
  },
  {
    flag: '--grpc-tls-client-ca',
    wrong: ({ grpcTlsCert, grpcTlsClientCa }) => grpcTlsClientCa !== undefined && grpcTlsCert === undefined,
    reason: 'needs --grpc-tls-cert as well: without TLS there are no certificates',
  },
  {
    flag: '--grpc-origin-service',
    wrong: ({ disableGrpc, grpcOriginService, udsPath }) => grpcOriginService && disableGrpc && udsPath === undefined,
    reason: 'contradicts --disable-grpc: leave one of them out',
  },
  {
    flag: '--max-versions',
    wrong: ({ rulesDir }, given) => rulesDir === undefined && given('maxVersions'),
    reason: 'has no effect without --rules-dir: no versions are kept',
    isHarmless: true,
  },
  {
    flag: '--watch-rules',
    wrong: ({ rulesDir, watchRules }) => rulesDir === undefined && watchRules,
    reason: 'has no effect without --rules-dir: there are no files to watch',
    isHarmless: true,
  },
  {
    flag: '--signature-require',
    wrong: ({ signatureRequire, signatureEnabled }) => signatureRequire && !signatureEnabled,
    reason: 'needs --signature-enabled as well: without it nothing is verified',
  },
  {
    flag: '--signature-require',
    wrong: ({ signatureRequire, signatureTrustedKeys, signatureTrustedKeysFile }) =>
      signatureRequire && signatureTrustedKeys.length === 0 && signatureTrustedKeysFile === undefined,
    reason:
      'needs a trusted key (--signature-trusted-keys, --signature-trusted-keys-file): else nothing could be stored',
  },
  {
    flag: '--signature-bind-tenant',
    wrong: ({ signatureBindTenant, signatureEnabled, multiTenancyEnabled }) =>
      signatureBindTenant && !(signatureEnabled && multiTenancyEnabled),
    reason: 'needs --signature-enabled and --multi-tenancy-enabled as well: without them no tenant is signed for',
  },
  {
    flag: '--signature-min-version',
    wrong: ({ signatureMinVersion, signatureEnabled }) => signatureMinVersion !== undefined && !signatureEnabled,
    reason: 'needs --signature-enabled as well: without it nothing is verified',
  },
  {
    flag: '--network-http-policy',
    wrong: ({ networkHttpPolicy, networkHttpAllow }) => networkHttpPolicy === 'open' && networkHttpAllow.length > 0,
    reason: '`open` contradicts --network-http-allow: leave one of them out',
  },
  {
    flag: '--network-http-policy',
    wrong: ({ networkHttpPolicy, networkHttpAllow }) =>
      networkHttpPolicy === 'allowlist' && networkHttpAllow.length === 0,
    reason: '`allowlist` needs --network-http-allow: else nothing could be called',
  },
  {
    flag: '--fast-lane',
    wrong: ({ fastLane, otlpEndpoint, corsOrigin, receipts }, given) =>
      given('fastLane') && fastLane && (otlpEndpoint !== undefined || corsOrigin.length > 0 || receipts !== 'off'),
    reason: 'has no effect with --otlp-endpoint, --cors-origin or --receipts: Node parses all requests',
    isHarmless: true,
  },
  {
    flag: '--broker-url',
    wrong: ({ brokerUrl, role }) => brokerUrl !== undefined && role === 'standalone',
    reason: 'has no effect without --role writer or --role reader: a standalone instance synchronizes with no other',
    isHarmless: true,
  },
  {
    flag: '--broker-subject-prefix',
    wrong: ({ brokerUrl, brokerSubjectPrefix }, given) =>
      brokerUrl === undefined && given('brokerSubjectPrefix') && brokerSubjectPrefix !== 'engine.rules',
    reason: 'has no effect without --broker-url',
    isHarmless: true,
  },
  {
    flag: '--broker-credentials-file',
    wrong: ({ brokerUrl, brokerCredentialsFile }) => brokerUrl === undefined && brokerCredentialsFile !== undefined,
    reason: 'has no effect without --broker-url',
    isHarmless: true,
  },
  {
    flag: '--broker-credentials-file',
    wrong: ({ brokerUrl, brokerCredentialsFile }) =>
      brokerCredentialsFile !== undefined && (brokerUrl?.user ?? brokerUrl?.token) !== undefined,
    reason: 'contradicts the user in --broker-url: leave one of them out',
  },
  {
    flag: '--broker-nkey-file',
    wrong: ({ brokerUrl, brokerNkeyFile }) => brokerUrl === undefined && brokerNkeyFile !== undefined,
    reason: 'has no effect without --broker-url',
    isHarmless: true,
  },
  {
    flag: '--broker-nkey-file',
    wrong: ({ brokerUrl, brokerNkeyFile, brokerCredentialsFile }) =>
      brokerNkeyFile !== undefined && (brokerUrl?.user ?? brokerUrl?.token ?? brokerCredentialsFile) !== undefined,
    reason: 'contradicts the user in --broker-url, and --broker-credentials-file: leave the others out',
  },
  {
    flag: '--broker-tls-cert-file',
    wrong: ({ brokerTlsCertFile, brokerTlsKeyFile }) =>
      (brokerTlsCertFile === undefined) !== (brokerTlsKeyFile === undefined),
    reason: 'needs --broker-tls-key-file, and the other way round',
  },
  {
    flag: '--broker-tls-cert-file',
    wrong: ({ brokerUrl, brokerTlsCertFile }) => brokerTlsCertFile !== undefined && brokerUrl?.tls !== true,
    reason: 'needs --broker-url with `tls://`',
  },
  {
    flag: '--broker-tls-first',
    wrong: ({ brokerUrl, brokerTlsFirst }) => brokerTlsFirst && brokerUrl?.tls !== true,
    reason: 'needs --broker-url with `tls://`',
  },
  {
    flag: '--broker-other-writers',
    wrong: ({ role, brokerUrl, brokerOtherWriters }) =>
      brokerOtherWriters && (role !== 'writer' || brokerUrl === undefined),
    reason: 'has no effect without --role writer and --broker-url',
    isHarmless: true,
  },
  {
    flag: '--broker-domain',
    wrong: ({ brokerUrl, brokerDomain }) => brokerUrl === undefined && brokerDomain !== undefined,
    reason: 'has no effect without --broker-url',
    isHarmless: true,
  },
  {
    flag: '--broker-replicas',
    wrong: ({ brokerUrl }, given) => brokerUrl === undefined && given('brokerReplicas'),
    reason: 'has no effect without --broker-url',
    isHarmless: true,
  },
  {
    flag: '--audit-include-payload',
    wrong: ({ auditIncludePayload, auditDir }) => auditIncludePayload && auditDir === undefined,
    reason: 'has no effect without --audit-dir: there are no audit events',
    isHarmless: true,
  },
  {
    flag: '--platform-url',
    wrong: ({ platformUrl, platformConnectToken, platformConnectTokenFile, platformRegistrationSecret }) =>
      platformUrl !== undefined &&
      (platformConnectToken ?? platformConnectTokenFile ?? platformRegistrationSecret) === undefined,
    reason:
      'needs --platform-connect-token, --platform-connect-token-file or --platform-registration-secret: without one the platform registers nothing',
  },
  {
    flag: '--allow-direct-writes',
    wrong: ({ allowDirectWrites, platformUrl, apiTokensFile }) =>
      allowDirectWrites && platformUrl !== undefined && apiTokensFile !== undefined,
    reason: 'has no effect with --api-tokens-file: tokens with the scope `write` change rulesets',
    isHarmless: true,
  },
  {
    flag: '--authzen-token-key',
    wrong: ({ authzenConfig, authzenTokenKey }) => authzenTokenKey !== undefined && authzenConfig === undefined,
    reason: 'has no effect without --authzen-config',
    isHarmless: true,
  },
  {
    flag: '--ofrep',
    wrong: ({ ofrep, ofrepConfig }) => ofrep === 'list' && ofrepConfig === undefined,
    reason: '`list` needs --ofrep-config, which lists the flags',
  },
  {
    flag: '--ofrep-config',
    wrong: ({ ofrep, ofrepConfig }) => ofrep === 'off' && ofrepConfig !== undefined,
    reason: 'has no effect without --ofrep',
    isHarmless: true,
  },
  {
    flag: '--platform-connect-token-file',
    wrong: ({ platformConnectToken, platformConnectTokenFile }) =>
      platformConnectToken !== undefined && platformConnectTokenFile !== undefined,
    reason: 'contradicts --platform-connect-token: leave one of them out',
  },
  {
    flag: '--receipts',
    wrong: ({ receipts, receiptsKey }) => receipts !== 'off' && receiptsKey === undefined,
    reason: 'needs --receipts-key: the private key that signs them',
  },
  {
    flag: '--receipts',
    wrong: ({ receipts, receiptsDir }) => receipts !== 'off' && receiptsDir === undefined,
    reason: 'needs --receipts-dir: a receipt is on disk before it is answered',
  },
  {
    flag: '--receipts',
    wrong: ({ receipts, instanceId }) => receipts !== 'off' && instanceId === undefined,
    reason: 'needs --instance-id: it names the log that a restart continues',
  },
  {
    flag: '--receipts-evidence-retain-days',
    wrong: ({ receiptsEvidenceRetainDays: days, receiptsRetainDays }) => (days ?? 0) > receiptsRetainDays,
    reason: 'has no effect beyond --receipts-retain-days: evidence is removed with its part of the log',
    isHarmless: true,
  },
  ...RECEIPTS.map(({ flag, key }): Combination<typeof OPTIONS> => ({
    flag,
    wrong: ({ receipts }, given) => receipts === 'off' && given(key),
    reason: 'has no effect without --receipts',
    isHarmless: true,
  })),
  {
    flag: '--sample-answers',
    wrong: ({ platformUrl, sampleAnswers, sampleDecisions }) =>
      platformUrl !== undefined && sampleAnswers && sampleDecisions === 0,
    reason: 'has no effect without --sample-decisions',
    isHarmless: true,
  },
  ...PLATFORM.map(({ flag, key }): Combination<typeof OPTIONS> => ({
    flag,
    wrong: ({ platformUrl }, given) => platformUrl === undefined && given(key),
    reason: 'has no effect without --platform-url',
    isHarmless: true,
  })),
  {
    flag: '--access-log',
    wrong: ({ accessLog, logLevel }) => accessLog && (logLevel === 'error' || logLevel === 'warn'),
    reason: 'has no effect with --log-level `error` or `warn`: requests are logged at level `info`',
    isHarmless: true,
  },
]
