/** The version of Muster, as the changelog has it. */
export const version = "0.1.0";
