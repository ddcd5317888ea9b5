/** The document has more than is read: the answer is 413. */
export class TooLarge extends Error {
  readonly code = 'too-large'
}
