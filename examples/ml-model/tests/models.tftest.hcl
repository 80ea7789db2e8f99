run "a_model_goes_to_the_gpus" {
  command = plan

  assert {
    condition     = keys(output.models) == ["cloud/recommender-trial/reconciler.yaml", "edge-gpu/recommender-live/reconciler.yaml"]
    error_message = join(", ", keys(output.models))
  }
  assert {
    condition     = output.models["edge-gpu/recommender-live/reconciler.yaml"].minReplicas == 2 && startswith(output.models["edge-gpu/recommender-live/reconciler.yaml"].model.storageUri, "oci://")
    error_message = jsonencode(output.models)
  }
}
