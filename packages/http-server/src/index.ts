// Connections
export { acceptNothing, type Address, createListener, listening, type Places, replaceTls } from './listeners.ts'
export { limitConnections, tooManyConnections } from './connection-limit.ts'
export { type MutualTls, readClientCa, readTls, type TlsFiles, validityFault } from './tls-files.ts'
export {
  type HttpOptions,
  type HttpParts,
  type HttpServer,
  listenOrExplain,
  refuseTakenAddress,
  serveHttp,
} from './serve-http.ts'
export { hostAndPort, httpUrl } from './display-address.ts'
export type { WholeAnswer } from './plain-answer/plain-answer.ts'
export type { PlainService } from './fast-lane/plain-connection.ts'
export type { PlainRequest } from './fast-lane/plain-request.ts'
// Requests
export type { Deadline } from './deadlines.ts'
export type { MessageRules } from './protocol-errors.ts'
export {
  addRoute,
  createRouter,
  noRoute,
  patternOf,
  type RoutedRequest,
  type RoutePath,
  type Router,
  type RouterParts,
} from './router.ts'
export { accessFields, type EndedRequest, roundToMicroseconds, statusOf } from './access-fields.ts'
export { knownMethod, requestSpan, routed } from './request-span.ts'
export { ArrivingBytes, type BodyLimits, createUnreadBodies, type UnreadBodies } from './arriving-bytes.ts'
export { FloodGuard } from './http2-floods.ts'
export { encodeAnswer, unfoldedStream } from './content-coding.ts'
export { askForBody } from './continuation.ts'
export { bodyOf, collectBody, type DuplicateKeys, jsonOf, refuseContentType, refuseEncoding, textOf } from './body.ts'
export { allowCrossOrigin, type CrossOriginRules } from './cross-origin.ts'
export { HOP_BY_HOP } from './hop-by-hop.ts'
// Responses
export {
  type Answer,
  isGone,
  json,
  MEDIA,
  prefersCsv,
  SECURITY_HEADERS,
  type ServingState,
  writeAnswer,
  writeFailure,
} from './response.ts'
export { drained } from './drain.ts'
export { ERRORS_PAGE } from './problem-details.ts'
export { ResponseSignal } from './response-signal.ts'
// Errors
export { type FaultDetail, HttpError, type HttpErrorCode, httpErrors, LIMIT_FLAGS } from './http-error.ts'
export { type AnsweredError, errorAnswers, type ErrorRow, type ErrorRows } from './error-table.ts'
