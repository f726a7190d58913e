"""The wire: the generated messages of the contract, the codec between them and the engine, and addresses."""
