/**
 * What an answer means for the money. `success`: done; of a status inquiry: answered, and the status decides. `failure`: it was
 * not done and will not be. `inquire`: the answer decides nothing; the funds stay held, and the rail is asked. `operator`: the
 * same, and asking alone will hardly help, so operators are told at once.
 */
export type Treatment = 'success' | 'failure' | 'inquire' | 'operator';
