"""The code that MLflow stores as the model; it is read and run where the model is loaded (models from code)."""

from mlflow.models import set_model

from turnkeeper.compiling.served import ServedProgram

set_model(ServedProgram())
