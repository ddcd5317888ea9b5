const ERROR = 'error:'

/** Whether a result of a transition is an error. */
export const isError = (result: string): boolean => result.startsWith(ERROR)

/** The code of a result without its mark. */
export const codeOf = (result: string): string => (isError(result) ? result.slice(ERROR.length) : result)

/** An error as results name it. */
export const errorResult = (code: string): string => ERROR + code
