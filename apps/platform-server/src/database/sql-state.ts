/** Five characters, at least one of them a digit, which system errors such as `EPIPE` do not have. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/

/** The SQLSTATE of a database error; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && SQLSTATE.test(error.code)
    ? error.code
    : undefined
}

/** The unique constraint that a row would have violated; undefined for any other error. */
export function duplicateOf(error: unknown): string | undefined {
  return sqlState(error) === '23505' && error instanceof Error && 'constraint' in error
    ? String(error.constraint)
    : undefined
}
