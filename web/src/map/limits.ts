/** The server tells of no weaker similarity. */
export const LEAST_ALIKE = 0.6;
