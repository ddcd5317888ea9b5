/** The document exceeds a size limit: 413. */
export class TooLarge extends Error {
  readonly code = 'too-large'
}
