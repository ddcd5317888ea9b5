const ERROR = 'error:'

/** Whether a result of a transition is an error. */
export const isError = (result: string): boolean => result.startsWith(ERROR)

/** The code of a result without the error prefix. */
export const codeOf = (result: string): string => (isError(result) ? result.slice(ERROR.length) : result)

/** The result that stands for an error. */
export const errorResult = (code: string): string => ERROR + code
